/** Parts of agents with language models: prompts, conversations, and the parsing of answers. */

export * from './agent-options.ts'
export * from './conversation.ts'
export * from './describe-briefing.ts'
export * from './describe-playbooks.ts'
export * from './describe-rules.ts'
export * from './describe-task.ts'
export * from './describe-work.ts'
export * from './find-playbook.ts'
export * from './perform-call.ts'
