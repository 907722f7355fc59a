/** Finds the playbook in an answer of a model: in the arguments of a call, or in a fenced block of the text. */
import { isPlainObject } from '#kit'
import type { ModelAnswer, ToolCall } from '#spec'

const FENCED_BLOCK = /```([\w-]*)[ \t]*\r?\n([\s\S]*?)(?:\n[ \t]*```|$)/g
const PLAYBOOK_START = /^(?:\s|---(?=\s)|#.*\n)*-\s+(?:name|hosts|import_playbook)\s*:/

const removeFence = (text: string): string => {
  const fenced = /^\s*```[\w-]*[ \t]*\r?\n([\s\S]*?)(?:\n[ \t]*```\s*)?$/.exec(text)
  return fenced?.[1] ?? text
}

/** Reads the playbook from the arguments of `run_playbook`. Models also use other field names, or pass the text alone. */
export const readPlaybook = (input: unknown): string | undefined => {
  const record = isPlainObject(input) ? input : {}
  const playbookText = [record.playbook, record.code, record.yaml, record.content, input].find(
    (item): item is string => typeof item === 'string' && item.trim() !== '',
  )
  if (playbookText === undefined) return undefined
  const text = removeFence(playbookText)
  // Arguments that are neither JSON nor a playbook are an invalid call.
  return playbookText === input && !PLAYBOOK_START.test(text) ? undefined : text
}

/** Returns the last block that looks like a playbook: models show drafts before the final version. */
const findInText = (text: string): string | undefined => {
  const blocks = [...text.matchAll(FENCED_BLOCK)].map((match) => match[2]!)
  const playbook = blocks.findLast((block) => PLAYBOOK_START.test(block))
  return playbook ?? (PLAYBOOK_START.test(text) ? text : undefined)
}

export interface FoundPlaybook {
  readonly playbook: string
  /** The call that contained it. Absent if it was in the text. */
  readonly call?: ToolCall
}

export const findPlaybook = (answer: Pick<ModelAnswer, 'text' | 'toolCalls'>): FoundPlaybook | undefined => {
  for (const call of answer.toolCalls) {
    const playbook = call.name === 'run_playbook' ? readPlaybook(call.input) : undefined
    if (playbook !== undefined) return { playbook, call }
  }
  const playbook = findInText(answer.text)
  return playbook === undefined ? undefined : { playbook }
}
