/** Writes an episode as a MicroRemed conversation file: the messages, and a few figures. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callText, type TrajectoryStep, toTrajectory } from '#lab/runs'
import {
  type EpisodeEvent,
  type EpisodeResult,
  LABORATORY_PLAYBOOK,
  type Problem,
  RemediumError,
} from '#spec'

interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** MicroRemed has no tools: calls become messages of the assistant, and observations messages of the user. */
const toMessages = ({ source, text, calls, toolMode }: TrajectoryStep): Message[] => {
  if (source !== 'agent') return [{ role: source, content: text }]
  // If tools are called in text, the text already contains the calls.
  const content = [text, ...(toolMode === 'text' ? [] : calls.map(callText))]
    .filter((part) => part !== '')
    .join('\n')
  return [
    { role: 'assistant', content },
    ...calls.flatMap(({ observation }): Message[] =>
      observation === undefined ? [] : [{ role: 'user', content: observation }],
    ),
  ]
}

/** Counts the playbooks that were run, but not refused and unapproved ones. Playbooks of the laboratory are not vetted. */
export const countAttempts = (events: readonly EpisodeEvent[]): number =>
  events.filter(
    (event) =>
      (event.type === 'playbook-vetted' && !event.isRefused) ||
      (event.type === 'step-taken' && event.action === LABORATORY_PLAYBOOK),
  ).length

export interface ConversationFile {
  readonly metadata: {
    readonly generated_at: string
    /** According to Remedium's verdict. */
    readonly final_status: 'success' | 'failed'
    /** According to MicroRemed's own check; absent if it was not performed. */
    readonly micro_remed_status?: 'success' | 'failed'
    readonly retries: number
    /** As counted by the provider. */
    readonly token_count: number
    /** Seconds. */
    readonly remediation_time: number
  }
  readonly conversation: readonly Message[]
}

const toStatus = (hasPassed: boolean): 'success' | 'failed' => (hasPassed ? 'success' : 'failed')

export const toConversationFile = (
  { outcome, passesMicroRemedCheck, metrics, stages, ended }: EpisodeResult,
  events: readonly EpisodeEvent[],
): ConversationFile => ({
  metadata: {
    generated_at: new Date(ended).toISOString(),
    final_status: toStatus(outcome === 'resolved'),
    ...(passesMicroRemedCheck === undefined ? {} : { micro_remed_status: toStatus(passesMicroRemedCheck) }),
    retries: countAttempts(events),
    token_count: metrics.tokens.input + metrics.tokens.output,
    remediation_time: (stages.solve ?? 0) / 1000,
  },
  conversation: toTrajectory(events).steps.flatMap(toMessages),
})

/** `<service>_<type>_<number>.json`, as MicroRemed names them. */
export const conversationName = ({ faults: [first] }: Problem, category: string, number: number): string =>
  `${first?.target.service ?? 'none'}_${category}_${number}.json`

export const writeConversation = (folder: string, name: string, content: ConversationFile): void => {
  const path = join(folder, name)
  try {
    writeFileSync(path, `${JSON.stringify(content, undefined, 2)}\n`)
  } catch (cause) {
    throw new RemediumError('record-lost', `${path} cannot be written: ${(cause as Error).message}.`, {
      hint: 'The result is kept. Free some disk space, and run the same command to resume.',
      cause,
    })
  }
}
