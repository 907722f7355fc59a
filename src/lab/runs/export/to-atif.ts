/** Converts a trajectory to the Agent Trajectory Interchange Format (ATIF), version 1.8. */
import { defined, isPlainObject } from '#kit'
import type { Contender } from '#spec'
import type { TrajectoryCall, TrajectoryStep } from './collect-steps.ts'
import { toToolDefinition } from './to-tool-definition.ts'
import type { Trajectory } from './to-trajectory.ts'

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
          ...(usage.reasoning === undefined ? {} : { extra: { reasoning_tokens: usage.reasoning } }),
        },
      }

const toExtra = (step: TrajectoryStep): object => {
  const { role, conversation, toolMode: tool_mode, sampling, finish, calls } = step
  const clipped = step.isClipped ?? (calls.some((call) => call.isClipped && !call.isRead) || undefined)
  const extra = defined({ role, conversation, tool_mode, sampling, finish, clipped })
  return Object.keys(extra).length === 0 ? {} : { extra }
}

/** Actions and thoughts of the agent's own program involve no model call. An external program may make calls that are not recorded. */
const toCallCount = ({ model }: TrajectoryStep, mayCallModels: boolean): object => {
  if (model !== undefined) return { llm_call_count: 1 }
  return mayCallModels ? {} : { llm_call_count: 0 }
}

const toStep = (step: TrajectoryStep, index: number, mayCallModels: boolean): object => {
  const { source, time, text, reasoning, sampling, calls, model } = step
  const head = { step_id: index + 1, timestamp: new Date(time).toISOString(), source, message: text }
  if (source !== 'agent') return { ...head, ...toExtra(step) }
  return {
    ...head,
    ...defined({
      model_name: model,
      reasoning_effort: sampling?.reasoning,
      reasoning_content: reasoning,
    }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toCall) }),
    ...toObservation(calls),
    ...toMetrics(step),
    ...toCallCount(step, mayCallModels),
    ...toExtra(step),
  }
}

/** All tools of all roles; the last definition of a name counts. */
const toTools = (steps: readonly TrajectoryStep[]): object => {
  const tools = new Map(steps.flatMap(({ tools = [] }) => tools).map((tool) => [tool.name, tool]))
  return tools.size === 0 ? {} : { tool_definitions: [...tools.values()].map(toToolDefinition) }
}

export const toAtif = (trajectory: Trajectory, { session, version, contender }: AtifSource): object => {
  const { steps, verdict, problem, system, task, solver } = trajectory
  const name = contender?.agent ?? solver
  const models = [...new Set(steps.flatMap(({ model }) => model ?? []))]
  const sum = (amountOf: (step: TrajectoryStep) => number | undefined): number =>
    steps.reduce((total, step) => total + (amountOf(step) ?? 0), 0)
  const isUnpriced = steps.some(({ usage, costUsd }) => usage !== undefined && costUsd === undefined)
  return {
    schema_version: 'ATIF-v1.8',
    session_id: session,
    trajectory_id: session,
    agent: {
      name,
      version,
      ...(models.length === 1 ? { model_name: models[0] } : {}),
      ...toTools(steps),
      ...(models.length > 1 ? { extra: { models: contender?.models ?? models } } : {}),
    },
    steps: steps.map((step, index) => toStep(step, index, name === 'external')),
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
      ...defined({ outcome: verdict?.outcome, reason: verdict?.reason, metrics: verdict?.metrics }),
    },
  }
}
