/** Answers the same requests with the same answers as a conversation that was recorded. */
import { readFileSync } from 'node:fs'
import { deepEqual } from '../kit/index.ts'
import { type LanguageModel, type ModelRequest, RemediumError } from '../spec/index.ts'
import { type RecordedCall, type RecordedRequest, toRecordedRequest } from './recording.ts'

/** The provider's name for it: `replay:FILE`. */
export const REPLAY = 'replay'

const parseCalls = (file: string): RecordedCall[] => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new RemediumError('bad-file', `The conversation ${file} cannot be read.`, { cause })
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
      throw new RemediumError('bad-file', `Line ${number} of ${file} is no recorded call of a model.`)
    })
}

const isSame = (a: RecordedRequest, b: RecordedRequest): boolean => deepEqual(a, b)

/** How many messages two requests have in common from the beginning. */
const sharedMessages = (a: RecordedRequest, b: RecordedRequest): number => {
  const differs = a.messages.findIndex((message, index) => !deepEqual(message, b.messages[index]))
  return differs === -1 ? a.messages.length : differs
}

const shorten = (text: string | undefined): string =>
  text === undefined ? 'nothing' : `"${text.length > 80 ? `${text.slice(0, 80)}...` : text}"`

/** In which way a request is not the recorded one that is most like it. */
const describeDifference = (asked: RecordedRequest, calls: readonly RecordedCall[]): string => {
  if (calls.length === 0) return 'it holds no calls that are left'
  const nearest = calls
    .map(({ request }) => ({ request, shared: sharedMessages(asked, request) }))
    .reduce((best, one) => (one.shared > best.shared ? one : best))
  const { request, shared } = nearest
  if (shared === asked.messages.length && shared === request.messages.length)
    return 'the messages are the same, but the tools or the settings are not'
  const said = shorten(asked.messages[shared]?.content)
  return `message ${shared + 1} is ${said}, and was ${shorten(request.messages[shared]?.content)}`
}

/** Each recorded answer is given once, in the order of the file among those of the same request. */
export const replaying = (file: string): LanguageModel => {
  const left = parseCalls(file)
  const names = [...new Set(left.map(({ model }) => model))]
  return {
    name: names.length === 1 ? names[0]! : `${REPLAY}:${file}`,
    async ask(asked: ModelRequest) {
      asked.signal?.throwIfAborted()
      const request = toRecordedRequest(asked)
      const at = left.findIndex((call) => isSame(call.request, request))
      if (at === -1) {
        const why = describeDifference(request, left)
        throw new RemediumError('not-recorded', `${file} does not hold what the model was asked: ${why}.`, {
          hint: 'A replay works where everything else is the same, too: problem, seed, agent and its options.',
        })
      }
      const { answer, error } = left.splice(at, 1)[0]!
      if (answer !== undefined) return answer
      throw new RemediumError(error!.code, error!.message, { blame: error!.blame })
    },
  }
}
