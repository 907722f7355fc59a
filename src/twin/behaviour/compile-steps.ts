/** Makes a function of a list of steps: conditions, repetition, results, and which failures are borne. */
import type { Step } from '../../spec/index.ts'
import { type Compiling, compileOptional, compileValue } from './compiling.ts'
import { type Execution, forElement, type Names, type Run } from './execution.ts'
import { StepFailure } from './step-failure.ts'
import { compileCallStep } from './steps/call-step.ts'
import {
  compileFailStep,
  compileLogStep,
  compileReturnStep,
  compileSetStep,
  compileWaitStep,
} from './steps/plain-steps.ts'
import { compileProxyStep } from './steps/proxy-step.ts'
import { compileQueryStep } from './steps/query-step.ts'

/** The value is that of the last step that was done. */
export const compileSteps = (steps: readonly Step[], where: string, compiling: Compiling): Run => {
  const runs = steps.map((step, place) => compileStep(step, `${where}[${place}]`, compiling))
  return async (execution) => {
    let value: unknown = null
    for (const run of runs) {
      value = await run(execution)
      if (execution.end.answer !== undefined) break
    }
    return value
  }
}

/**
 * All at the same time. A failure is known when all have ended, as where each has a future that is waited for in
 * turn; the first in the order of the steps is the one that counts.
 */
const compileParallel = (steps: readonly Step[], where: string, compiling: Compiling): Run => {
  const runs = steps.map((step, place) => compileStep(step, `${where}[${place}]`, compiling))
  return (execution) => allEnded(runs.map((run) => run(execution)))
}

const allEnded = async (begun: readonly Promise<unknown>[]): Promise<unknown[]> => {
  const outcomes = await Promise.allSettled(begun)
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

const compileKind = (step: Step, where: string, compiling: Compiling): Run => {
  if ('call' in step) return compileCallStep(step, where, compiling)
  if ('query' in step) return compileQueryStep(step, where, compiling)
  if ('proxy' in step) return compileProxyStep(step, where, compiling)
  if ('set' in step) return compileSetStep(step, where, compiling)
  if ('parallel' in step) return compileParallel(step.parallel, `${where}.parallel`, compiling)
  if ('log' in step) return compileLogStep(step, where, compiling)
  if ('return' in step) return compileReturnStep(step, where, compiling)
  if ('fail' in step) return compileFailStep(step, where, compiling)
  if ('wait' in step) return compileWaitStep(step, where, compiling)
  return compileSteps(step.do, `${where}.do`, compiling)
}

/** What is wrong with the expressions is never borne: the original would not even compile. */
const bearing = (run: Run, step: Step, where: string, compiling: Compiling): Run => {
  const message = compileFailureMessage(step, where, compiling)
  return async (execution) => {
    try {
      return await run(execution)
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error
      compiling.surroundings.log('warn', message?.of(execution, error) ?? error.message)
      return null
    }
  }
}

/** What went wrong; of an RPC in Go without who was asked for what, which the service itself says if it wants to. */
const ownWords = ({ message }: StepFailure): string => message.replace(/^.* failed: (?=rpc error: )/s, '')

interface FailureMessage {
  of(execution: Execution, error: StepFailure): string
  /** Says what went wrong, too. */
  readonly isWhole: boolean
}

const compileFailureMessage = (
  step: Step,
  where: string,
  { surroundings }: Compiling,
): FailureMessage | undefined => {
  const source = 'failure' in step ? step.failure?.message : undefined
  if (source === undefined) return undefined
  const evaluate = surroundings.expressions.compileExpression(source, `${where}.failure.message`)
  return {
    of: ({ scope }, error) => {
      const seen: Names = Object.create(scope)
      seen.error = ownWords(error)
      return String(evaluate(seen))
    },
    isWhole: evaluate.names.has('error'),
  }
}

/** What the caller is told instead of the failure's own words. */
const telling = (run: Run, step: Step, where: string, compiling: Compiling): Run => {
  const said = 'failure' in step ? step.failure : undefined
  if (said === undefined) return run
  const status = compileOptional(said.status, `${where}.failure.status`, compiling)
  const message = compileFailureMessage(step, where, compiling)
  return async (execution) => {
    try {
      return await run(execution)
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error
      if (message?.isWhole !== true) compiling.surroundings.log('error', error.message)
      const code = status === undefined ? error.status : Number(status(execution))
      throw new StepFailure(message?.of(execution, error) ?? error.message, code, error.peer, error.cause)
    }
  }
}

const isCritical = (step: Step): boolean => !('critical' in step) || step.critical !== false

const toElements = (value: unknown, where: string): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (value === null) throw new StepFailure(`${where}.each: there is no list`)
  return typeof value === 'object' ? Object.values(value as object) : [value]
}

/** Elements for which `when` does not hold give no result. */
const compileEach = (
  step: Step & { each: string },
  run: Run,
  when: Condition | undefined,
  where: string,
  compiling: Compiling,
): Run => {
  const list = compileValue(step.each, `${where}.each`, compiling)
  const together = step.together === true
  const begin = (execution: Execution): Execution[] =>
    toElements(list(execution), where).map((it, index) => forElement(execution, it, index, together))
  if (together)
    return async (execution) =>
      allEnded(
        begin(execution)
          .filter((element) => when?.(element) ?? true)
          .map((element) => run(element)),
      )
  return async (execution) => {
    const results: unknown[] = []
    for (const element of begin(execution)) {
      if (when?.(element) === false) continue
      results.push(await run(element))
      if (execution.end.answer !== undefined) break
    }
    return results
  }
}

type Condition = (execution: Execution) => boolean

/** Whether it is about the single element. */
const compileCondition = (
  source: string | undefined,
  where: string,
  { surroundings }: Compiling,
): { holds: Condition; ofElement: boolean } | undefined => {
  if (source === undefined) return undefined
  const evaluate = surroundings.expressions.compileExpression(source, `${where}.when`)
  return {
    holds: ({ scope }) => evaluate(scope) === true,
    ofElement: evaluate.names.has('it') || evaluate.names.has('index'),
  }
}

const compileStep = (step: Step, where: string, compiling: Compiling): Run => {
  const kind = compileKind(step, where, compiling)
  const once = isCritical(step)
    ? telling(kind, step, where, compiling)
    : bearing(kind, step, where, compiling)
  const { each, as } = step
  const condition = compileCondition(step.when, where, compiling)
  const perElement = each !== undefined && condition?.ofElement === true
  const run =
    each === undefined
      ? once
      : compileEach({ ...step, each }, once, perElement ? condition.holds : undefined, where, compiling)
  const before = perElement ? undefined : condition?.holds
  return async (execution) => {
    if (before?.(execution) === false) {
      // Whoever looks for the result finds that there is none, unless another step gave one.
      if (as !== undefined && execution.scope[as] === undefined) execution.names[as] = null
      return null
    }
    const value = await run(execution)
    if (as !== undefined) execution.names[as] = value
    return value
  }
}
