/** Answers requests from a recording. */
import { readFileSync } from 'node:fs'
import { deepEqual } from '#kit'
import { type LanguageModel, type ModelRequest, RemediumError } from '#spec'
import { type RecordedCall, type RecordedRequest, toRecordedRequest } from './record-calls.ts'

/** The provider of `replay:FILE`. */
export const REPLAY = 'replay'

const parseCalls = (file: string): RecordedCall[] => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new RemediumError('bad-file', `The recording ${file} cannot be read.`, { cause })
  }
  return text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => {
      try {
        const call = JSON.parse(line) as RecordedCall
        if (Array.isArray(call.request?.messages) && (call.answer ?? call.error) !== undefined) return call
      } catch {}
      throw new RemediumError('bad-file', `Line ${number} of ${file} is not a recorded model call.`)
    })
}

const isSameRequest = (a: RecordedRequest, b: RecordedRequest): boolean => deepEqual(a, b)

/** Counts the messages that two requests have in common from the beginning. */
const countSharedMessages = (a: RecordedRequest, b: RecordedRequest): number => {
  const firstDifference = a.messages.findIndex((message, index) => !deepEqual(message, b.messages[index]))
  return firstDifference === -1 ? a.messages.length : firstDifference
}

const shorten = (text: string | undefined): string =>
  text === undefined ? 'absent' : `"${text.length > 80 ? `${text.slice(0, 80)}...` : text}"`

/** Describes how a request differs from the most similar recorded one. */
const describeDifference = (requested: RecordedRequest, calls: readonly RecordedCall[]): string => {
  if (calls.length === 0) return 'no calls are left'
  const nearest = calls
    .map(({ request }) => ({ request, shared: countSharedMessages(requested, request) }))
    .reduce((best, match) => (match.shared > best.shared ? match : best))
  const { request, shared } = nearest
  if (shared === requested.messages.length && shared === request.messages.length)
    return 'the messages are the same, but the tools or the settings differ'
  const actual = shorten(requested.messages[shared]?.content)
  return `message ${shared + 1} is ${actual}, but was ${shorten(request.messages[shared]?.content)}`
}

/** Returns each recorded answer once. Equal requests get their answers in the order of the file. */
export const replayCalls = (file: string): LanguageModel => {
  const remaining = parseCalls(file)
  const names = [...new Set(remaining.map(({ model }) => model))]
  return {
    name: names.length === 1 ? names[0]! : `${REPLAY}:${file}`,
    async ask(modelRequest: ModelRequest) {
      modelRequest.signal?.throwIfAborted()
      const request = toRecordedRequest(modelRequest)
      const index = remaining.findIndex((call) => isSameRequest(call.request, request))
      if (index === -1) {
        const difference = describeDifference(request, remaining)
        throw new RemediumError('not-recorded', `${file} does not contain this request: ${difference}.`, {
          hint: 'A replay requires the same problem, seed, secret, agent, agent options and sampling settings as the recording.',
        })
      }
      const { answer, error } = remaining.splice(index, 1)[0]!
      if (answer !== undefined) return answer
      throw new RemediumError(error!.code, error!.message, { blame: error!.blame })
    },
  }
}
