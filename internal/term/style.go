package term

// A Style colours text. The zero value leaves text as it is, so callers never
// ask whether colour is on.
type Style struct{ on bool }

// NewStyle returns a Style that colours when on is set.
func NewStyle(on bool) Style { return Style{on: on} }

// On reports whether the style colours.
func (s Style) On() bool { return s.on }

// Bold is for headings.
func (s Style) Bold(text string) string { return s.wrap("1", text) }

// Dim is for what matters least, such as ids beside titles.
func (s Style) Dim(text string) string { return s.wrap("2", text) }

// Red is for errors and losses.
func (s Style) Red(text string) string { return s.wrap("31", text) }

// Green is for what is well.
func (s Style) Green(text string) string { return s.wrap("32", text) }

// Yellow is for warnings.
func (s Style) Yellow(text string) string { return s.wrap("33", text) }

// Cyan is for hints, commands and names.
func (s Style) Cyan(text string) string { return s.wrap("36", text) }

// wrap puts the text between the SGR code and a reset. Styles do not nest.
func (s Style) wrap(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
