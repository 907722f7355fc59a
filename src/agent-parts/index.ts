/** What agents with language models are made of: prompts, conversations, and reading what models write. */
export * from './act.ts'
export * from './agent-options.ts'
export * from './conversation.ts'
export * from './find-playbook.ts'
export * from './prompts.ts'
export * from './tasks.ts'
