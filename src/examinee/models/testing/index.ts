/** Language models for tests: one in this process, and one behind an HTTP server. */

export * from './open-scripted.ts'
export * from './scripted-model.ts'
export * from './scripted-server.ts'
export type { ServerAnswer } from './server-answers.ts'
