package discover

import "rollbook/internal/history"

var limits history.Limits
