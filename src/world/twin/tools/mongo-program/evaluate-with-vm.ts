/** Evaluates a statement of the MongoDB shell as JavaScript. The container of the program is the sandbox. */
import { runInNewContext } from 'node:vm'
import type { ShellGlobals } from '#world/twin/tool-cores'

export const evaluateWithVm = (statement: string, { db, functions }: ShellGlobals): unknown =>
  runInNewContext(statement, { db, Date, ...functions }, { filename: 'shell', timeout: 1000 })
