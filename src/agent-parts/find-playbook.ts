/** Finds the playbook in what a model answered: in the arguments of a call, or in a fenced block of its text. */
import type { ModelAnswer, ToolCall } from '../spec/index.ts'

const FENCED = /```([\w-]*)[ \t]*\r?\n([\s\S]*?)(?:\n[ \t]*```|$)/g
const LOOKS_LIKE_ONE = /^(?:\s|---(?=\s)|#.*\n)*-\s+(?:name|hosts|import_playbook)\s*:/

const withoutFence = (text: string): string => {
  const fenced = /^\s*```[\w-]*[ \t]*\r?\n([\s\S]*?)(?:\n[ \t]*```\s*)?$/.exec(text)
  return fenced?.[1] ?? text
}

/** Of the arguments of `run_playbook`; models also put it under other names, or alone. */
export const playbookOf = (input: unknown): string | undefined => {
  const record = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>
  const given = [record.playbook, record.code, record.yaml, record.content, input].find(
    (one): one is string => typeof one === 'string' && one.trim() !== '',
  )
  if (given === undefined) return undefined
  const text = withoutFence(given)
  // Arguments that are no JSON and no playbook are a call that went wrong.
  return given === input && !LOOKS_LIKE_ONE.test(text) ? undefined : text
}

/** The last block that looks like a playbook: models first show what they think of, and then what they mean. */
const inText = (text: string): string | undefined => {
  const blocks = [...text.matchAll(FENCED)].map((match) => match[2]!)
  const found = blocks.findLast((block) => LOOKS_LIKE_ONE.test(block))
  return found ?? (LOOKS_LIKE_ONE.test(text) ? text : undefined)
}

export interface FoundPlaybook {
  readonly playbook: string
  /** The call that it came in; absent where it was in the text. */
  readonly call?: ToolCall
}

export const findPlaybook = (answer: Pick<ModelAnswer, 'text' | 'toolCalls'>): FoundPlaybook | undefined => {
  for (const call of answer.toolCalls) {
    const playbook = call.name === 'run_playbook' ? playbookOf(call.input) : undefined
    if (playbook !== undefined) return { playbook, call }
  }
  const playbook = inText(answer.text)
  return playbook === undefined ? undefined : { playbook }
}
