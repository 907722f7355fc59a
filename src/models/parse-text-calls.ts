/** Finds the tool calls in the text of a model that has to write them: a fenced block of JSON, tags, or action lines. */
import type { ToolDescription } from '../spec/index.ts'
import { firstObject, parseLenientJson } from './lenient-json.ts'

export interface TextCall {
  readonly name: string
  readonly input: unknown
}

export interface TextCalls {
  readonly calls: readonly TextCall[]
  /** The text without them: what the model thought. */
  readonly rest: string
}

const FENCED = /```[\w-]*[ \t]*\n([\s\S]*?)(?:\n[ \t]*```|$)/g
const TAGGED = /<tool_call>([\s\S]*?)(?:<\/tool_call>|$)/g
const ACTION = /^[ \t*]*Action\**[ \t]*:[ \t*]*[`"]?([\w-]+)[`"]?[ \t*]*$/im
const ACTION_INPUT = /^[ \t*]*Action[ _]Input\**[ \t]*:[ \t]*/im
const NAME_KEYS = ['tool', 'name', 'tool_name', 'action', 'function']
const INPUT_KEYS = ['input', 'arguments', 'args', 'parameters', 'params', 'action_input', 'tool_input']

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The call that an object describes, if it names one of the tools. */
const toCall = (value: unknown, names: ReadonlySet<string>): TextCall | undefined => {
  if (!isRecord(value)) return undefined
  if (isRecord(value.function)) return toCall(value.function, names)
  const name = NAME_KEYS.map((key) => value[key]).find(
    (one): one is string => typeof one === 'string' && names.has(one),
  )
  if (name === undefined) return undefined
  const key = INPUT_KEYS.find((one) => Object.hasOwn(value, one))
  const given = key === undefined ? {} : value[key]
  return { name, input: typeof given === 'string' ? (parseLenientJson(given) ?? given) : (given ?? {}) }
}

const toCalls = (text: string, names: ReadonlySet<string>): TextCall[] => {
  const value = parseLenientJson(text)
  return (Array.isArray(value) ? value : [value])
    .map((one) => toCall(one, names))
    .filter((call) => call !== undefined)
}

/** Calls between marks that the pattern finds; marks that hold none stay in the text. */
const inMarks = (text: string, pattern: RegExp, names: ReadonlySet<string>): TextCalls => {
  const calls: TextCall[] = []
  const rest = text.replaceAll(pattern, (whole: string, inner: string) => {
    const found = toCalls(inner, names)
    calls.push(...found)
    return found.length > 0 ? '' : whole
  })
  return { calls, rest }
}

/** The one text that a tool wants, where it wants just one: it need not be wrapped in JSON. */
const onlyText = (tool: ToolDescription): string | undefined => {
  const required = tool.input.required as readonly string[] | undefined
  const properties = tool.input.properties as Record<string, { type?: string }> | undefined
  const only = required?.length === 1 ? required[0]! : undefined
  return only !== undefined && properties?.[only]?.type === 'string' ? only : undefined
}

const withoutFence = (text: string): string => {
  const fenced = /^\s*```[\w-]*[ \t]*\n([\s\S]*?)(?:\n[ \t]*```[\s\S]*|$)/.exec(text)
  return (fenced?.[1] ?? text).trim()
}

/** `Action: name` with `Action Input:` on the next line; only the first, since models invent what follows it. */
const inActionLines = (text: string, tools: readonly ToolDescription[]): TextCalls => {
  const action = ACTION.exec(text)
  const tool = tools.find(({ name }) => name === action?.[1])
  if (action === null || tool === undefined) return { calls: [], rest: text }
  const rest = text.slice(0, action.index)
  const tail = text.slice(action.index + action[0].length)
  const mark = ACTION_INPUT.exec(tail)
  if (mark === null) return { calls: [{ name: tool.name, input: {} }], rest }
  const [written = ''] = tail.slice(mark.index + mark[0].length).split(/^[ \t*]*Observation\**[ \t]*:/im)
  const parsed = parseLenientJson(written)
  if (isRecord(parsed)) return { calls: [{ name: tool.name, input: parsed }], rest }
  const text_ = withoutFence(written)
  const only = onlyText(tool)
  return { calls: [{ name: tool.name, input: only === undefined ? text_ : { [only]: text_ } }], rest }
}

const bare = (text: string, names: ReadonlySet<string>): TextCalls => {
  const written = firstObject(text)
  const calls = written === undefined ? [] : toCalls(written, names)
  return calls.length === 0 ? { calls, rest: text } : { calls, rest: text.replace(written!, '') }
}

/** Never fails: text without a call that can be read is text. */
export const parseTextCalls = (answer: string, tools: readonly ToolDescription[]): TextCalls => {
  const names = new Set(tools.map(({ name }) => name))
  const text = answer.replaceAll(/<think>[\s\S]*?<\/think>/g, '')
  const found = [
    () => inActionLines(text, tools),
    () => inMarks(text, TAGGED, names),
    () => inMarks(text, FENCED, names),
    () => bare(text, names),
  ]
    .map((find) => find())
    .find(({ calls }) => calls.length > 0)
  return found === undefined ? { calls: [], rest: answer } : { calls: found.calls, rest: found.rest.trim() }
}
