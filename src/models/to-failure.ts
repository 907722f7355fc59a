/** Reads what the AI SDK throws: whose fault it is, and whether asking again could help. */
import { type Blame, RemediumError } from '../spec/index.ts'
import { BrokenStream } from './ask-once.ts'
import { Failure } from './failure.ts'
import { costIn, fromBody } from './usage.ts'

/** The parts of the SDK's errors that tell something; those of a stream may be any object. */
interface Thrown {
  readonly name?: string
  readonly message?: unknown
  readonly statusCode?: number
  readonly code?: unknown
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
  readonly data?: unknown
  readonly cause?: unknown
}

const NO_TOOLS = /tool|function.?call/i
const NO_STREAM = /\bstream/i
const TOO_LONG = /context.?(length|window)|(prompt|input|request) is too (long|large)|maximum.{0,40}tokens/i
const ASKED_TOO_LARGE = /max_(?:completion_)?tokens.{0,60}too large: (\d+)/i
const MOST_CONTEXT = /maximum context length is (\d+)/i
const NO_MONEY = /exceeded your current quota|billing|credit balance/i
/** Some providers tell a limit that passes in the words of an empty account. */
const PASSES = /per.?(second|minute|hour|day)|retry.?delay|try again in|rate.?limit.?exceeded/i
const BAD_KEY = /api.?key (is )?(not valid|invalid|not found)|api_key_invalid|invalid api.?key/i
const NO_MODEL = /not a valid model|model\b.{0,80}\b(not found|does not exist|not exist)/i
const MALFORMED =
  /^AI_(JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated|NoOutputGenerated)Error$/

/** At most so much of what a provider wrote is passed on. */
const MOST_LETTERS = 500

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The provider's own words, wherever they are. */
const wordsOf = (thrown: Thrown): string => {
  const body = parsed(thrown.responseBody) as { error?: { message?: unknown }; message?: unknown } | undefined
  const said = [thrown.message, body?.error?.message, body?.message, thrown.responseBody].find(
    (one) => typeof one === 'string' && one.trim() !== '',
  )
  return String(said ?? 'no reason given')
    .replaceAll(/\s+/g, ' ')
    .slice(0, MOST_LETTERS)
}

const statusOf = (thrown: Thrown): number | undefined => {
  if (thrown.statusCode !== undefined) return thrown.statusCode
  const code = Number(thrown.code)
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined
}

/** `Retry-After` in seconds or as a date, or the milliseconds that some providers give instead. */
export const readRetryAfter = (
  headers: Readonly<Record<string, string>> | undefined,
  now: number,
): number | undefined => {
  const milliseconds = Number.parseFloat(headers?.['retry-after-ms'] ?? '')
  if (milliseconds >= 0) return milliseconds
  const given = headers?.['retry-after']?.trim()
  if (given === undefined || given === '') return undefined
  if (/^\d+(\.\d+)?$/.test(given)) return Number(given) * 1000
  const until = Date.parse(given)
  return Number.isNaN(until) ? undefined : Math.max(0, until - now)
}

/** Google says in the body how long to wait: `"retryDelay": "26s"`. */
const delayIn = (body: string | undefined): number | undefined => {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body ?? '')?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

const isOutOfMoney = (said: string): boolean =>
  /insufficient_quota/i.test(said) || (NO_MONEY.test(said) && !PASSES.test(said))

/** Answers of such a share of all that a model can hold leave no room for a question. */
const WHOLE = 0.9

/** Whether no conversation, however short, could be answered at such length; the same words tell of conversations that are too long. */
const isAskedTooLarge = (words: string): boolean => {
  const asked = ASKED_TOO_LARGE.exec(words)?.[1]
  const most = MOST_CONTEXT.exec(words)?.[1]
  return asked !== undefined && (most === undefined || Number(asked) > Number(most) * WHOLE)
}

/** What an answer that nobody can read says of tokens and money. */
const spentIn = (thrown: Thrown): Pick<Failure, 'usage' | 'costUsd'> => {
  const { value } = (thrown.cause ?? {}) as { value?: unknown }
  const body = [thrown.data, parsed(thrown.responseBody), value].find((one) => fromBody(one) !== undefined)
  return { usage: fromBody(body), costUsd: costIn((body as { usage?: unknown } | undefined)?.usage) }
}

export interface Situation {
  /** `provider:name` */
  readonly model: string
  readonly now: number
  /** Whether this try offered tools by the interface for them, and whether it asked for a stream. */
  readonly offersTools: boolean
  readonly streams: boolean
  /** Called when the endpoint has refused one of the two. */
  giveUp(what: 'tools' | 'stream'): void
}

interface Refusal {
  readonly status: number
  /** The provider's words, as they are passed on. */
  readonly words: string
  /** Those, and all else that came with them. */
  readonly said: string
}

const refused = ({ status, words, said }: Refusal, thrown: unknown, situation: Situation): Failure => {
  const fail = (hint: string | undefined, blame?: Blame): Failure =>
    new Failure(
      new RemediumError('model-failed', `${situation.model} refuses (${status}): ${words}`, {
        cause: thrown,
        hint,
        blame,
      }),
      'never',
    )
  if (status === 401 || status === 403 || (status === 400 && BAD_KEY.test(said))) {
    const message = `${situation.model} does not accept the key (${status}): ${words}`
    return new Failure(new RemediumError('key-missing', message, { cause: thrown }), 'never')
  }
  if (status === 402 || isOutOfMoney(said)) return fail('Top up the account at the provider.', 'operator')
  if (isAskedTooLarge(words)) return fail('Ask for shorter answers: --set AGENT.outputTokens=N.', 'operator')
  if (TOO_LONG.test(words))
    return fail('The conversation is longer than the model can read; shorten what the agent keeps.', 'agent')
  for (const [what, offered, pattern] of [
    ['tools', situation.offersTools, NO_TOOLS],
    ['stream', situation.streams, NO_STREAM],
  ] as const) {
    if (!offered || !pattern.test(words)) continue
    situation.giveUp(what)
    return new Failure(fail(undefined).error, 'at-once')
  }
  return status === 404 || (status === 400 && NO_MODEL.test(said))
    ? fail('Look at the name of the model and at --base-url.', 'operator')
    : fail(undefined)
}

/** `thrown` is never the caller's own abort. */
export const toFailure = (thrown: unknown, situation: Situation): Failure => {
  if (thrown instanceof Failure) return thrown
  if (thrown instanceof BrokenStream) {
    const { error, again, retryAfterMs } = toFailure(thrown.cause, situation)
    return new Failure(error, again, { retryAfterMs, usage: thrown.usage, costUsd: thrown.costUsd })
  }
  if (thrown instanceof RemediumError) return new Failure(thrown, 'never')
  const told = (
    typeof thrown === 'object' && thrown !== null ? thrown : { message: String(thrown) }
  ) as Thrown
  const words = wordsOf(told)
  const status = statusOf(told)
  const again = (what: string): Failure =>
    new Failure(
      new RemediumError('model-failed', `${situation.model} ${what}: ${words}`, { cause: thrown }),
      'wait',
      {
        retryAfterMs: readRetryAfter(told.responseHeaders, situation.now) ?? delayIn(told.responseBody),
        ...spentIn(told),
      },
    )
  if (status === undefined) {
    if (MALFORMED.test(told.name ?? '')) return again('answered what cannot be read')
    return again(told.name === 'AI_APICallError' ? 'cannot be reached' : 'broke off')
  }
  if (status < 400) return again('answered what cannot be read')
  const said = `${words} ${told.responseBody ?? ''}`
  if (status === 429 && !isOutOfMoney(said)) return again('wants fewer requests (429)')
  if (status === 408 || status === 409 || status === 425 || (status >= 500 && status !== 501))
    return again(`failed (${status})`)
  return refused({ status, words, said }, thrown, situation)
}
