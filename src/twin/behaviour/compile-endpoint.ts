/** Makes a function of an endpoint: its work, its steps, its answer. */
import type { Endpoint, Work } from '../../spec/index.ts'
import type { OutgoingAnswer } from '../ports/index.ts'
import { compileSteps } from './compile-steps.ts'
import { type Compiling, compileMap, compileOptional } from './compiling.ts'
import type { Execution } from './execution.ts'
import { doWork } from './work.ts'

export type RunEndpoint = (execution: Execution) => Promise<OutgoingAnswer>

const toHeaders = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  )

export const compileEndpoint = (
  endpoint: Endpoint,
  usualWork: Work | undefined,
  where: string,
  compiling: Compiling,
): RunEndpoint => {
  const steps = compileSteps(endpoint.steps ?? [], `${where}.steps`, compiling)
  const reply = compileOptional(endpoint.reply, `${where}.reply`, compiling)
  const status = compileOptional(endpoint.status, `${where}.status`, compiling)
  const headers = endpoint.headers && compileMap(endpoint.headers, `${where}.headers`, compiling)
  const work = endpoint.work ?? usualWork ?? {}

  const answer = (execution: Execution): OutgoingAnswer => {
    const usual = execution.request?.method === 'RPC' ? 0 : 200
    const given = execution.end.answer ?? {
      status: status === undefined ? usual : Number(status(execution)),
      body: reply?.(execution) ?? null,
    }
    return headers === undefined
      ? given
      : { ...given, headers: { ...given.headers, ...toHeaders(headers(execution)) } }
  }

  return async (execution) => {
    const letGo = doWork(work)
    try {
      await steps(execution)
      return answer(execution)
    } finally {
      letGo()
    }
  }
}
