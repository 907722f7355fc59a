/** Compiles an endpoint: its work, steps and response. */
import type { Endpoint, Work } from '#spec'
import type { OutgoingAnswer } from '#world/twin/ports'
import { compileSteps } from './compile-steps.ts'
import { type CompileContext, compileMap, compileOptional } from './compile-value.ts'
import type { Execution } from './execution.ts'

export type RunEndpoint = (execution: Execution) => Promise<OutgoingAnswer>

const toHeaders = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  )

export const compileEndpoint = (
  endpoint: Endpoint,
  defaultWork: Work | undefined,
  location: string,
  context: CompileContext,
): RunEndpoint => {
  const { steps: declaredSteps = [] } = endpoint
  const steps =
    declaredSteps.length === 0 ? undefined : compileSteps(declaredSteps, `${location}.steps`, context)
  const reply = compileOptional(endpoint.reply, `${location}.reply`, context)
  const status = compileOptional(endpoint.status, `${location}.status`, context)
  const headers = endpoint.headers && compileMap(endpoint.headers, `${location}.headers`, context)
  const { cpuMs = 0, memoryKiB = 0 } = endpoint.work ?? defaultWork ?? {}

  const toAnswer = (execution: Execution): OutgoingAnswer => {
    const defaultStatus = execution.request?.method === 'RPC' ? 0 : 200
    const response = execution.end.answer ?? {
      status: status === undefined ? defaultStatus : Number(status(execution)),
      body: reply?.(execution) ?? null,
    }
    return headers === undefined
      ? response
      : { ...response, headers: { ...response.headers, ...toHeaders(headers(execution)) } }
  }

  return async (execution) => {
    const { cpu, memory, takePendingWork } = execution.host
    if (cpuMs > 0) await cpu.use(cpuMs)
    const freeMemory = memoryKiB > 0 ? memory.allocate(memoryKiB * 1024) : undefined
    try {
      if (steps !== undefined) await steps(execution)
      const answer = toAnswer(execution)
      const pendingWork = takePendingWork?.()
      if (pendingWork !== undefined) await pendingWork
      return answer
    } finally {
      freeMemory?.()
    }
  }
}
