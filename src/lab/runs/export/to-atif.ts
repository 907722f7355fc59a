/** Converts a trajectory to the Agent Trajectory Interchange Format (ATIF), version 1.4. */
import { defined, isPlainObject } from '#kit'
import type { Contender } from '#spec'
import type { Trajectory, TrajectoryCall, TrajectoryStep } from './to-trajectory.ts'

export interface AtifSource {
  /** The episode, or the name of the record's file. */
  readonly session: string
  readonly version: string
  readonly contender?: Contender | undefined
}

const toCall = ({ id, name, input }: TrajectoryCall): object => ({
  tool_call_id: id,
  function_name: name,
  arguments: isPlainObject(input) ? input : { input },
})

const toObservation = (calls: readonly TrajectoryCall[]): object => {
  const results = calls
    .filter(({ observation }) => observation !== undefined)
    .map(({ id, observation }) => ({ source_call_id: id, content: observation }))
  return results.length === 0 ? {} : { observation: { results } }
}

const toMetrics = ({ usage, costUsd }: TrajectoryStep): object =>
  usage === undefined
    ? {}
    : {
        metrics: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          ...defined({ cached_tokens: usage.cachedInput, cost_usd: costUsd }),
        },
      }

const toStep = (step: TrajectoryStep, index: number): object => {
  const { source, time, text, calls, model, role } = step
  const head = { step_id: index + 1, timestamp: new Date(time).toISOString(), source, message: text }
  if (source !== 'agent') return head
  return {
    ...head,
    ...(model === undefined ? {} : { model_name: model }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toCall) }),
    ...toObservation(calls),
    ...toMetrics(step),
    ...(role === undefined ? {} : { extra: { role } }),
  }
}

export const toAtif = (trajectory: Trajectory, { session, version, contender }: AtifSource): object => {
  const { steps, verdict, problem, system, task, solver } = trajectory
  const models = [...new Set(steps.flatMap(({ model }) => model ?? []))]
  const sum = (of: (step: TrajectoryStep) => number | undefined): number =>
    steps.reduce((total, step) => total + (of(step) ?? 0), 0)
  const isUnpriced = steps.some(({ usage, costUsd }) => usage !== undefined && costUsd === undefined)
  return {
    schema_version: 'ATIF-v1.4',
    session_id: session,
    agent: {
      name: contender?.agent ?? solver,
      version,
      ...(models.length === 1 ? { model_name: models[0] } : {}),
      ...(models.length > 1 ? { extra: { models: contender?.models ?? models } } : {}),
    },
    steps: steps.map(toStep),
    final_metrics: {
      total_prompt_tokens: sum(({ usage }) => usage?.input),
      total_completion_tokens: sum(({ usage }) => usage?.output),
      total_cached_tokens: sum(({ usage }) => usage?.cachedInput),
      ...(isUnpriced ? {} : { total_cost_usd: sum(({ costUsd }) => costUsd) }),
      total_steps: steps.length,
    },
    extra: {
      problem,
      system,
      task,
      ...(verdict === undefined
        ? {}
        : { outcome: verdict.outcome, reason: verdict.reason, metrics: verdict.metrics }),
    },
  }
}
