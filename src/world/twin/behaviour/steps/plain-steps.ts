/** The steps without a call: variables, log lines, responses, waits and failures. */
import type { FailStep, LogStep, ReturnStep, SetStep, WaitStep } from '#spec'
import { sleep } from '#world/twin/ports'
import { type CompileContext, compileOptional, compileValue } from '../compile-value.ts'
import type { Run } from '../execution.ts'
import { StepFailure } from '../step-failure.ts'

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Sets variables in order, so that later ones can use earlier ones. */
export const compileSetStep = ({ set }: SetStep, location: string, context: CompileContext): Run => {
  const values = Object.entries(set).map(
    ([name, source]) => [name, compileValue(source, `${location}.set.${name}`, context)] as const,
  )
  return (execution) => {
    let last: unknown = null
    for (const [name, value] of values) {
      last = value(execution)
      execution.names[name] = last
    }
    return last
  }
}

export const compileLogStep = (
  { log, level = 'info' }: LogStep,
  location: string,
  context: CompileContext,
): Run => {
  const text = compileValue(log, `${location}.log`, context)
  return (execution) => {
    execution.host.log(level, toText(text(execution)))
    return null
  }
}

export const compileReturnStep = (step: ReturnStep, location: string, context: CompileContext): Run => {
  const body = compileValue(step.return, `${location}.return`, context)
  const status = compileOptional(step.status, `${location}.status`, context)
  return (execution) => {
    const defaultStatus = execution.request?.method === 'RPC' ? 0 : 200
    const value = body(execution)
    execution.end.answer = {
      status: status === undefined ? defaultStatus : Number(status(execution)),
      body: value,
    }
    return value
  }
}

export const compileWaitStep = ({ wait }: WaitStep, location: string, context: CompileContext): Run => {
  const milliseconds = compileValue(wait, `${location}.wait`, context)
  return async (execution) => {
    await sleep(execution.host.time, Math.max(0, Number(milliseconds(execution)) || 0))
    return null
  }
}

export const compileFailStep = (step: FailStep, location: string, context: CompileContext): Run => {
  const text = compileValue(step.fail, `${location}.fail`, context)
  const status = compileOptional(step.status, `${location}.status`, context)
  return (execution) => {
    throw new StepFailure(
      toText(text(execution)),
      status === undefined ? undefined : Number(status(execution)),
    )
  }
}
