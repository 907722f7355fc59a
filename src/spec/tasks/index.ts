/** The tasks of problems, and the questions that they ask. */
export * from './all-questions.ts'
export * from './all-tasks.ts'
export type * from './answers.ts'
export type * from './define-question.ts'
export type * from './define-task.ts'
export * from './truth.ts'
