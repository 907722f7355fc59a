/** Sends drawn actions to episodes in one session, and counts what becomes of them. */
import type { Random } from '#kit'
import { drawAction, type KnownAction } from './draw-action.ts'
import type { JsonLinesClient } from './json-lines-client.ts'

/** Codes of void episodes that the actions may cause. */
const EXPECTED_VOIDS = ['unsupported']

export interface ActionCounts {
  actions: number
  episodes: number
  /** Episodes that an action ended, by the code of the void verdict or the outcome. */
  readonly ends: Map<string, number>
  /** What must not happen, with the action. */
  readonly defects: string[]
}

export interface ActionSender {
  readonly client: JsonLinesClient
  readonly session: string
  readonly problems: readonly string[]
  readonly random: Random
  readonly counts: ActionCounts
  /** Whether another action is to be sent; waits for the pace. */
  next(): Promise<boolean>
}

const toKnownActions = (actions: readonly any[]): KnownAction[] =>
  actions.map(({ name, parameters, input, schema }) => ({
    name,
    fields: Object.keys((parameters ?? input ?? schema)?.properties ?? {}),
  }))

export const sendActions = async (sender: ActionSender): Promise<void> => {
  const { client, session, problems, random, counts, next } = sender
  const start = async (): Promise<readonly KnownAction[]> => {
    counts.episodes += 1
    const problem = problems[random.below(problems.length)]
    const { result, error } = await client.ask('reset', { session, problem, seed: random.below(1000) })
    if (error !== undefined) throw new Error(`An episode did not start: ${JSON.stringify(error)}`)
    return toKnownActions(result.observation.actions)
  }
  let actions = await start()
  while (await next()) {
    const action = drawAction(random, actions)
    counts.actions += 1
    const { result, error } = await client.ask('step', { session, action })
    const where = (): string => JSON.stringify(action).slice(0, 500)
    if (error !== undefined) counts.defects.push(`${JSON.stringify(error)} after ${where()}`)
    else if (typeof result.observation?.text !== 'string') counts.defects.push(`no text after ${where()}`)
    if (error === undefined && !result.terminated && !result.truncated) continue
    const code = result?.info.void?.code ?? result?.info.verdict?.outcome ?? 'error'
    counts.ends.set(code, (counts.ends.get(code) ?? 0) + 1)
    if (result?.info.void !== undefined && !EXPECTED_VOIDS.includes(code))
      counts.defects.push(`void, ${JSON.stringify(result.info.void)} after ${where()}`)
    actions = await start()
  }
  await client.ask('close', { session })
}
