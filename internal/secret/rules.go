package secret

// redactRules are all that Redact looks for.
func redactRules() []anchor {
	list := intrinsic()
	for _, prefix := range []string{"sk-", "github_pat_", "AKIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"} {
		list = append(list, anchor{prefix, true, token})
	}
	for _, word := range assignmentWords {
		list = append(list, anchor{word, false, assignment})
	}
	for _, word := range keyWords {
		list = append(list, anchor{word.text, false, word.find})
	}
	return append(list,
		anchor{"private key", false, keyBlock},
		anchor{"private+key", false, keyBlock},
		anchor{"LS0tLS1CRUdJTi", true, encodedBlock},
		anchor{"private-lines:", false, puttyBlock},
		anchor{"bearer", false, bearer},
		anchor{"basic", false, basic},
		anchor{"://", true, address},
		anchor{"cookie:", false, cookie},
		anchor{"machine ", false, netrc},
		anchor{"-u ", true, userFlag},
		anchor{"-u'", true, userFlag},
		anchor{"-u\"", true, userFlag},
		anchor{"--user ", true, userFlag},
		anchor{"--user=", true, userFlag},
	)
}
