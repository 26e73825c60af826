package sessions

import "rollbook/internal/diag"

// The codes of the listing (docs/cli.md, "sessions"). Each makes it partial.
const (
	DirectoryUnreadable        diag.Code = "directory_unreadable"         // a folder could not be opened
	EntryUnreadable            diag.Code = "entry_unreadable"             // an entry, or the rest of a folder, could not be looked at
	FileUnreadable             diag.Code = "file_unreadable"              // a file could not be read, or not within the bounds
	MissingProjectMetadata     diag.Code = "missing_project_metadata"     // no record names a folder
	InvalidProjectMetadata     diag.Code = "invalid_project_metadata"     // a record names a folder that is not absolute
	ConflictingProjectMetadata diag.Code = "conflicting_project_metadata" // records name several folders
	MissingSessionMetadata     diag.Code = "missing_session_metadata"     // no record names a session
	ConflictingSessionMetadata diag.Code = "conflicting_session_metadata" // records name several sessions
	SymlinkSkipped             diag.Code = "symlink_skipped"              // links below the root are not followed
	NonRegularFile             diag.Code = "non_regular_file"             // called a rollout, but a socket, FIFO or device
	NonUTF8Path                diag.Code = "non_utf8_path"                // an entry of this folder has such a name
	DepthLimit                 diag.Code = "depth_limit"                  // a folder too deep to be read
	EntryLimit                 diag.Code = "entry_limit"                  // stopped in this folder: too many entries
	FileCountLimit             diag.Code = "file_count_limit"             // stopped at this file: too many files
	FileSizeLimit              diag.Code = "file_size_limit"              // too large
	TotalByteLimit             diag.Code = "total_byte_limit"             // stopped at this file: too many bytes
	PartialFile                diag.Code = "partial_file"                 // read with losses, of whatever project
)
