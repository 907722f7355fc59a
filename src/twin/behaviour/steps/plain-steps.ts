/** The steps that call nobody: variables, lines of the log, answers and failures. */
import type { FailStep, LogStep, ReturnStep, SetStep, WaitStep } from '../../../spec/index.ts'
import { type Compiling, compileOptional, compileValue } from '../compiling.ts'
import type { Run } from '../execution.ts'
import { StepFailure } from '../step-failure.ts'

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** One after the other: later ones see what earlier ones have set. */
export const compileSetStep = ({ set }: SetStep, where: string, compiling: Compiling): Run => {
  const values = Object.entries(set).map(
    ([name, source]) => [name, compileValue(source, `${where}.set.${name}`, compiling)] as const,
  )
  return async (execution) => {
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
  where: string,
  compiling: Compiling,
): Run => {
  const text = compileValue(log, `${where}.log`, compiling)
  return async (execution) => {
    compiling.surroundings.log(level, toText(text(execution)))
    return null
  }
}

export const compileReturnStep = (step: ReturnStep, where: string, compiling: Compiling): Run => {
  const body = compileValue(step.return, `${where}.return`, compiling)
  const status = compileOptional(step.status, `${where}.status`, compiling)
  return async (execution) => {
    const usual = execution.request?.method === 'RPC' ? 0 : 200
    const value = body(execution)
    execution.end.answer = { status: status === undefined ? usual : Number(status(execution)), body: value }
    return value
  }
}

export const compileWaitStep = ({ wait }: WaitStep, where: string, compiling: Compiling): Run => {
  const milliseconds = compileValue(wait, `${where}.wait`, compiling)
  return async (execution) => {
    await new Promise((resolve) => setTimeout(resolve, Number(milliseconds(execution))))
    return null
  }
}

export const compileFailStep = (step: FailStep, where: string, compiling: Compiling): Run => {
  const text = compileValue(step.fail, `${where}.fail`, compiling)
  const status = compileOptional(step.status, `${where}.status`, compiling)
  return async (execution) => {
    throw new StepFailure(
      toText(text(execution)),
      status === undefined ? undefined : Number(status(execution)),
    )
  }
}
