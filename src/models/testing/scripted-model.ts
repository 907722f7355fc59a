/** A language model that answers by a script, for tests: no network, no chance. */
import { type LanguageModel, type ModelAnswer, type ModelRequest, RemediumError } from '../../spec/index.ts'

export interface ScriptedCall {
  readonly name: string
  readonly input: unknown
}

/** What it says: a text, text with calls, or an error. */
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

/** The next answer, or what makes it of the request. */
export type Script = readonly (ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer))[]

export interface ScriptedModel extends LanguageModel {
  /** What it was asked, in order; messages as they were then. */
  readonly asked: readonly ModelRequest[]
  /** How many answers of the script are left. */
  left(): number
}

const toAnswer = (said: Exclude<ScriptedAnswer, Error>, place: number): ModelAnswer => {
  const { text = '', calls = [], ...rest } = typeof said === 'string' ? { text: said } : said
  const toolCalls = calls.map((call, index) => ({ id: `call-${place}-${index}`, ...call }))
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

/** Asked more often than the script has answers, it fails: then the agent did not do what was expected. */
export const scriptedModel = (script: Script, name = 'scripted:model'): ScriptedModel => {
  const asked: ModelRequest[] = []
  return {
    name,
    asked,
    left: () => Math.max(0, script.length - asked.length),
    async ask(request) {
      request.signal?.throwIfAborted()
      const place = asked.length
      asked.push({ ...request, messages: [...request.messages] })
      const next = script[place]
      if (next === undefined)
        throw new RemediumError('defect', `${name} was asked ${place + 1} times, once too often`)
      const said = typeof next === 'function' ? next(request) : next
      if (said instanceof Error) throw said
      return toAnswer(said, place)
    },
  }
}
