/** Compiles a list of steps: conditions, repetition, results, and the handling of failures. */
import type { Step } from '#spec'
import { type CompileContext, compileOptional, compileValue } from './compile-value.ts'
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

/** Resolves to the value of the last step, or of the step that ended the run. */
export const compileSteps = (steps: readonly Step[], location: string, context: CompileContext): Run => {
  const runs = steps.map((step, index) => compileStep(step, `${location}[${index}]`, context))
  return async (execution) => {
    let value: unknown = null
    for (const run of runs) {
      const result = run(execution)
      value = result instanceof Promise ? await result : result
      if (execution.end.answer !== undefined) break
    }
    return value
  }
}

/**
 * Runs all steps concurrently. Throws only when all have ended, like code that awaits futures in turn. If
 * several fail, throws the failure of the first step in the list.
 */
const compileParallel = (steps: readonly Step[], location: string, context: CompileContext): Run => {
  const runs = steps.map((step, index) => compileStep(step, `${location}[${index}]`, context))
  return (execution) => waitForAll(runs.map(async (run) => run(execution)))
}

const waitForAll = async (promises: readonly Promise<unknown>[]): Promise<unknown[]> => {
  const outcomes = await Promise.allSettled(promises)
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

const compileStepKind = (step: Step, location: string, context: CompileContext): Run => {
  if ('call' in step) return compileCallStep(step, location, context)
  if ('query' in step) return compileQueryStep(step, location, context)
  if ('proxy' in step) return compileProxyStep(step, location, context)
  if ('set' in step) return compileSetStep(step, location, context)
  if ('parallel' in step) return compileParallel(step.parallel, `${location}.parallel`, context)
  if ('log' in step) return compileLogStep(step, location, context)
  if ('return' in step) return compileReturnStep(step, location, context)
  if ('fail' in step) return compileFailStep(step, location, context)
  if ('wait' in step) return compileWaitStep(step, location, context)
  return compileSteps(step.do, `${location}.do`, context)
}

/** Logs a failure and continues with null. Errors in expressions are not tolerated: the topology is wrong. */
const tolerateFailure = (run: Run, step: Step, location: string, context: CompileContext): Run => {
  const message = compileFailureMessage(step, location, context)
  return async (execution) => {
    try {
      return await run(execution)
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error
      execution.host.log('warn', message?.format(execution, error) ?? error.message)
      return null
    }
  }
}

/** Removes the prefix that names the call from the error of a Go RPC; services add their own prefix. */
const stripCallPrefix = ({ message }: StepFailure): string =>
  message.replace(/^.* failed: (?=rpc error: )/s, '')

interface FailureMessage {
  format(execution: Execution, error: StepFailure): string
  /** Whether the message contains the error itself. */
  readonly includesError: boolean
}

const compileFailureMessage = (
  step: Step,
  location: string,
  { expressions }: CompileContext,
): FailureMessage | undefined => {
  const source = 'failure' in step ? step.failure?.message : undefined
  if (source === undefined) return undefined
  const evaluate = expressions.compileExpression(source, `${location}.failure.message`)
  return {
    format: ({ scope, host }, error) => {
      const names: Names = Object.create(scope)
      names.error = stripCallPrefix(error)
      return String(evaluate(names, host.sources))
    },
    includesError: evaluate.names.has('error'),
  }
}

/** Replaces the status and message of a failure with those of the step's `failure`. */
const replaceFailure = (run: Run, step: Step, location: string, context: CompileContext): Run => {
  const replacement = 'failure' in step ? step.failure : undefined
  if (replacement === undefined) return run
  const status = compileOptional(replacement.status, `${location}.failure.status`, context)
  const message = compileFailureMessage(step, location, context)
  return async (execution) => {
    try {
      return await run(execution)
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error
      if (message?.includesError !== true) execution.host.log('error', error.message)
      const code = status === undefined ? error.status : Number(status(execution))
      throw new StepFailure(message?.format(execution, error) ?? error.message, code, error.peer, error.cause)
    }
  }
}

const isCritical = (step: Step): boolean => !('critical' in step) || step.critical !== false

const toElements = (value: unknown, location: string): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (value === null) throw new StepFailure(`${location}.each: expected a list, got null`)
  return typeof value === 'object' ? Object.values(value as object) : [value]
}

interface Repetition {
  readonly step: Step & { each: string }
  readonly run: Run
  /** Skips the elements for which it does not hold. */
  readonly when: Condition | undefined
}

const compileEach = ({ step, run, when }: Repetition, location: string, context: CompileContext): Run => {
  const list = compileValue(step.each, `${location}.each`, context)
  const together = step.together === true
  const createElementExecutions = (execution: Execution): Execution[] =>
    toElements(list(execution), location).map((it, index) => forElement(execution, it, index, together))
  if (together)
    return async (execution) =>
      waitForAll(
        createElementExecutions(execution)
          .filter((element) => when?.(element) ?? true)
          .map(async (element) => run(element)),
      )
  return async (execution) => {
    const results: unknown[] = []
    for (const element of createElementExecutions(execution)) {
      if (when?.(element) === false) continue
      results.push(await run(element))
      if (execution.end.answer !== undefined) break
    }
    return results
  }
}

type Condition = (execution: Execution) => boolean

const compileCondition = (
  source: string | undefined,
  location: string,
  { expressions }: CompileContext,
): { holds: Condition; usesElement: boolean } | undefined => {
  if (source === undefined) return undefined
  const evaluate = expressions.compileExpression(source, `${location}.when`)
  return {
    holds: ({ scope, host }) => evaluate(scope, host.sources) === true,
    usesElement: evaluate.names.has('it') || evaluate.names.has('index'),
  }
}

const compileStep = (step: Step, location: string, context: CompileContext): Run => {
  const runKind = compileStepKind(step, location, context)
  const runOnce = isCritical(step)
    ? replaceFailure(runKind, step, location, context)
    : tolerateFailure(runKind, step, location, context)
  const { each, as } = step
  const condition = compileCondition(step.when, location, context)
  const perElement = each !== undefined && condition?.usesElement === true
  const run =
    each === undefined
      ? runOnce
      : compileEach(
          { step: { ...step, each }, run: runOnce, when: perElement ? condition.holds : undefined },
          location,
          context,
        )
  const precondition = perElement ? undefined : condition?.holds
  const keep = (execution: Execution, value: unknown, isSkipped: boolean): unknown => {
    // If the step is skipped, later expressions see null, unless another step has set the result.
    if (as !== undefined && (!isSkipped || execution.scope[as] === undefined)) execution.names[as] = value
    return value
  }
  const keepLater = async (execution: Execution, result: Promise<unknown>): Promise<unknown> => {
    const value = await result
    const pendingWork = execution.host.takePendingWork?.()
    if (pendingWork !== undefined) await pendingWork
    return keep(execution, value, false)
  }
  return (execution) => {
    const isSkipped = precondition?.(execution) === false
    const result = isSkipped ? null : run(execution)
    if (result instanceof Promise) return keepLater(execution, result)
    const pendingWork = execution.host.takePendingWork?.()
    if (pendingWork === undefined) return keep(execution, result, isSkipped)
    return pendingWork.then(() => keep(execution, result, isSkipped))
  }
}
