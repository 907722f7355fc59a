/** Runs one journey: sends its requests in order, checks each response, and records the results. */

import type { Random } from '#kit'
import { defined } from '#kit'
import type { JourneyRecord, RequestRecord } from '#spec'
import { ExpressionError } from '#world/expressions'
import { checkAnswer, type RequestResult, toFailure } from './check-answer.ts'
import type { CompiledJourney, CompiledJourneys, CompiledStep } from './compile-journeys.ts'
import { prepareRequest } from './prepare-request.ts'
import type { User } from './user.ts'
import { NoAnswerError, type UserClient } from './user-client.ts'

/** Shared by all journey runs of a generator. */
export interface RunContext {
  readonly client: Pick<UserClient, 'send'>
  readonly journeys: CompiledJourneys
  /** Milliseconds since the epoch, with fractions. */
  now(): number
  /** The origin of an entry point; of the first one by default. */
  originOf(entryPoint: string | undefined): string
  /** Returns 32 hexadecimal digits, different on each call. */
  newTraceId(): string
  onRequest(record: RequestRecord): void
  onJourney(record: JourneyRecord): void
}

export interface JourneyRun {
  readonly journey: CompiledJourney
  readonly number: number
  readonly user: User
  /** When the run is due. */
  readonly intended: number
  readonly random: Random
}

/** A journey run with the variables that its steps share. */
type RunState = JourneyRun & { readonly scope: Record<string, unknown> }

/** Sends the request of a step. Returns undefined if the step's `when` is not true. */
const sendRequest = async (
  step: CompiledStep,
  traceId: string,
  { scope, user, random }: RunState,
  context: RunContext,
): Promise<RequestResult | undefined> => {
  let status = 0
  try {
    context.journeys.drawFrom(random)
    if (step.when !== undefined && step.when(scope) !== true) return undefined
    const { headers, ...prepared } = prepareRequest(step, scope)
    const answer = await context.client.send({
      ...prepared,
      headers: { ...headers, traceparent: `00-${traceId}-${traceId.slice(16)}-01` },
      method: step.method,
      origin: context.originOf(step.entryPoint),
      cookies: user.cookies,
      follow: step.follow,
      timeoutMs: step.timeoutMs,
    })
    status = answer.status
    context.journeys.drawFrom(random)
    return checkAnswer(step, answer, scope, user.session)
  } catch (error) {
    if (error instanceof NoAnswerError) return { outcome: error.kind, status: 0, detail: error.message }
    if (error instanceof ExpressionError) return toFailure(status, error.message)
    throw error
  }
}

/** Runs a step that is due at `due` and records it. Returns undefined if the step's `when` is not true. */
const runStep = async (
  step: CompiledStep,
  due: number,
  state: RunState,
  context: RunContext,
): Promise<RequestRecord | undefined> => {
  const traceId = context.newTraceId()
  const started = context.now()
  const result = await sendRequest(step, traceId, state, context)
  if (result === undefined) return undefined
  const { journey, number } = state
  const latencyMs = context.now() - due
  const record: RequestRecord = {
    journey: journey.name,
    run: number,
    step: step.name,
    intended: due,
    started,
    latencyMs,
    ...result,
    traceId,
  }
  context.onRequest(record)
  return record
}

/** A step is due when the step before it has ended. The first failed step ends the run. */
export const runJourney = async (run: JourneyRun, context: RunContext): Promise<JourneyRecord> => {
  const { journey, user, number, intended } = run
  const state: RunState = { ...run, scope: { user: user.facts, session: user.session } }
  const started = context.now()
  let due = intended
  let preparationMs = 0
  let failedAt: string | undefined
  for (const step of journey.steps) {
    const result = await runStep(step, due, state, context)
    if (result === undefined) continue
    due += result.latencyMs
    if (step.prepares && step !== journey.steps.at(-1)) preparationMs += result.latencyMs
    if (result.outcome === 'ok') continue
    user.onFailedRequest(result.status)
    failedAt = step.name
    break
  }
  const record: JourneyRecord = {
    journey: journey.name,
    run: number,
    intended,
    started,
    latencyMs: due - intended - preparationMs,
    ok: failedAt === undefined,
    ...defined({ failedAt }),
  }
  context.onJourney(record)
  return record
}
