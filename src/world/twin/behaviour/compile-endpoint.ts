/** Compiles an endpoint: its work, steps and response. */
import type { Endpoint, Work } from '#spec'
import type { OutgoingAnswer } from '#world/twin/ports'
import { compileSteps } from './compile-steps.ts'
import { type CompileContext, compileMap, compileOptional } from './compile-value.ts'
import type { Execution } from './execution.ts'

export type RunEndpoint = (execution: Execution) => Promise<OutgoingAnswer>

/** Spends the CPU time and memory that a request costs. Resolves to a function that frees the memory. */
const doWork = async (
  { cpuMs = 0, memoryKiB = 0 }: Work,
  { cpu, memory }: Execution['host'],
): Promise<(() => void) | undefined> => {
  if (cpuMs > 0) await cpu.use(cpuMs)
  return memoryKiB > 0 ? memory.allocate(memoryKiB * 1024) : undefined
}

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
  const steps = compileSteps(endpoint.steps ?? [], `${location}.steps`, context)
  const reply = compileOptional(endpoint.reply, `${location}.reply`, context)
  const status = compileOptional(endpoint.status, `${location}.status`, context)
  const headers = endpoint.headers && compileMap(endpoint.headers, `${location}.headers`, context)
  const work = endpoint.work ?? defaultWork ?? {}

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
    const release = await doWork(work, execution.host)
    try {
      await steps(execution)
      return toAnswer(execution)
    } finally {
      release?.()
    }
  }
}
