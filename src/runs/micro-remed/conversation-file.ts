/** An episode as MicroRemed keeps it: the conversation, and a few figures about it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type EpisodeEvent,
  type EpisodeResult,
  LABORATORY_PLAYBOOK,
  type Problem,
  RemediumError,
} from '../../spec/index.ts'
import { callText, type TrajectoryStep, toTrajectory } from '../export/to-trajectory.ts'

interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** It knows no tools: what they were asked is said by the assistant, and what they said by the user. */
const toMessages = ({ source, text, calls }: TrajectoryStep): Message[] => {
  if (source !== 'agent') return [{ role: source, content: text }]
  const content = [text, ...calls.map(callText)].filter((part) => part !== '').join('\n')
  return [
    { role: 'assistant', content },
    ...calls.flatMap(({ observation }): Message[] =>
      observation === undefined ? [] : [{ role: 'user', content: observation }],
    ),
  ]
}

/** Playbooks that were run: neither those that were refused, nor those that nobody approved. The laboratory's own are not vetted. */
export const attemptsIn = (events: readonly EpisodeEvent[]): number =>
  events.filter(
    (event) =>
      (event.type === 'playbook-vetted' && !event.isRefused) ||
      (event.type === 'step-taken' && event.action === LABORATORY_PLAYBOOK),
  ).length

export interface ConversationFile {
  readonly metadata: {
    readonly generated_at: string
    readonly final_status: 'success' | 'failed'
    readonly retries: number
    /** As the provider counted them. */
    readonly token_count: number
    /** Seconds. */
    readonly remediation_time: number
  }
  readonly conversation: readonly Message[]
}

export const toConversationFile = (
  { outcome, metrics, stages, ended }: EpisodeResult,
  events: readonly EpisodeEvent[],
): ConversationFile => ({
  metadata: {
    generated_at: new Date(ended).toISOString(),
    final_status: outcome === 'resolved' ? 'success' : 'failed',
    retries: attemptsIn(events),
    token_count: metrics.tokens.input + metrics.tokens.output,
    remediation_time: (stages.act ?? 0) / 1000,
  },
  conversation: toTrajectory(events).steps.flatMap(toMessages),
})

/** `<service>_<type>_<epoch>.json`, as it names them. */
export const conversationName = ({ faults: [first] }: Problem, category: string, number: number): string =>
  `${first?.target.service ?? 'none'}_${category}_${number}.json`

export const writeConversation = (folder: string, name: string, content: ConversationFile): void => {
  const path = join(folder, name)
  try {
    writeFileSync(path, `${JSON.stringify(content, undefined, 2)}\n`)
  } catch (cause) {
    throw new RemediumError('record-lost', `${path} cannot be written: ${(cause as Error).message}.`, {
      hint: 'Its result is kept; make room and go on with the same command.',
      cause,
    })
  }
}
