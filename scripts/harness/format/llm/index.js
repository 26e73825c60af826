// Stands in for a release of dsh-llm that the registry does not carry. The
// migration from format 1 names this class; nothing here runs that migration.
export class AssistantStreamAccumulator {
  constructor() {
    throw new Error('the migration from format 1 is not part of this check')
  }
}
