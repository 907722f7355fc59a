/** A language model for tests that answers from a script, without a network. */
import { type LanguageModel, type ModelAnswer, type ModelRequest, RemediumError } from '#spec'

export interface ScriptedCall {
  readonly name: string
  readonly input: unknown
}

/** An answer as text, an answer with calls, or an error. */
export type ScriptedAnswer =
  | string
  | Error
  | {
      readonly text?: string
      readonly calls?: readonly ScriptedCall[]
      readonly finish?: ModelAnswer['finish']
      readonly usage?: ModelAnswer['usage']
      readonly costUsd?: number
    }

/** The answers in order; a function computes the answer from the request. */
export type Script = readonly (ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer))[]

export interface ScriptedModel extends LanguageModel {
  /** The requests in order, with copies of their messages. */
  readonly requests: readonly ModelRequest[]
  /** The number of answers that are left in the script. */
  remaining(): number
}

const toAnswer = (scripted: Exclude<ScriptedAnswer, Error>, answerIndex: number): ModelAnswer => {
  const { text = '', calls = [], ...rest } = typeof scripted === 'string' ? { text: scripted } : scripted
  const toolCalls = calls.map((call, index) => ({ id: `call-${answerIndex}-${index}`, ...call }))
  return {
    text,
    toolCalls,
    usage: { input: 10, output: 1 },
    finish: toolCalls.length > 0 ? 'tool-calls' : 'stop',
    tries: 1,
    milliseconds: 0,
    ...rest,
  }
}

/** Rejects with `defect` if it is asked more often than the script has answers. */
export const scriptedModel = (script: Script, name = 'scripted:model'): ScriptedModel => {
  const requests: ModelRequest[] = []
  return {
    name,
    requests,
    remaining: () => Math.max(0, script.length - requests.length),
    async ask(request) {
      request.signal?.throwIfAborted()
      const answerIndex = requests.length
      requests.push({ ...request, messages: [...request.messages] })
      const next = script[answerIndex]
      if (next === undefined)
        throw new RemediumError(
          'defect',
          `${name} was asked ${answerIndex + 1} times, but the script has ${script.length} answers.`,
        )
      const scripted = typeof next === 'function' ? next(request) : next
      if (scripted instanceof Error) throw scripted
      return toAnswer(scripted, answerIndex)
    },
  }
}
