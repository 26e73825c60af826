package cli

import (
	"github.com/spf13/pflag"

	"rollbook/internal/secret"
)

// redactFlags say whether what is shared is redacted.
type redactFlags struct {
	on     bool
	emails bool
}

func (r *redactFlags) vars(set *pflag.FlagSet) {
	set.BoolVar(&r.on, "redact", false, "put placeholders where possible secrets are, and ~ for home folders; then look once more at what was written")
	set.BoolVar(&r.emails, "redact-emails", false, "with --redact: e-mail addresses too")
}

func (r *redactFlags) check() error {
	if r.emails && !r.on {
		return usageErrorf("--redact-emails belongs to --redact")
	}
	return nil
}

// redactions gives what a Redactor replaces; nil where nothing is to be redacted.
func (e *Env) redactions(r redactFlags) *secret.Options {
	if !r.on {
		return nil
	}
	home := e.getenv("HOME")
	if home == "" {
		home = secret.AnyHome
	}
	return &secret.Options{Home: home, Emails: r.emails}
}
