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
const ACTION_INPUT = /^[ \t*]*Action[ _]Input\**[ \t]*:[ \t*]*/im
const NAME_KEYS = ['tool', 'name', 'tool_name', 'action', 'function']
const INPUT_KEYS = ['input', 'arguments', 'args', 'parameters', 'params', 'action_input', 'tool_input']

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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

/** Input that was written as text. What does not begin as an object is none, whatever braces it holds further on. */
const readInput = (written: string, tool: ToolDescription): unknown => {
  const text = withoutFence(written)
  const parsed = text.startsWith('{') ? parseLenientJson(text) : undefined
  if (parsed !== undefined) return parsed
  const only = onlyText(tool)
  return only === undefined ? text : { [only]: text }
}

type Tools = ReadonlyMap<string, ToolDescription>

/** The call that an object describes, if it names one of the tools. */
const toCall = (value: unknown, tools: Tools): TextCall | undefined => {
  if (!isRecord(value)) return undefined
  if (isRecord(value.function)) return toCall(value.function, tools)
  const tool = NAME_KEYS.map((key) => tools.get(String(value[key]))).find((one) => one !== undefined)
  if (tool === undefined) return undefined
  const key = INPUT_KEYS.find((one) => Object.hasOwn(value, one))
  const given = key === undefined ? {} : (value[key] ?? {})
  return { name: tool.name, input: typeof given === 'string' ? readInput(given, tool) : given }
}

const toCalls = (text: string, tools: Tools): TextCall[] => {
  const value = parseLenientJson(text)
  return (Array.isArray(value) ? value : [value])
    .map((one) => toCall(one, tools))
    .filter((call) => call !== undefined)
}

/** Calls between marks that the pattern finds; marks that hold none stay in the text. */
const inMarks = (text: string, pattern: RegExp, tools: Tools): TextCalls => {
  const calls: TextCall[] = []
  const rest = text.replaceAll(pattern, (whole: string, inner: string) => {
    const found = toCalls(inner, tools)
    calls.push(...found)
    return found.length > 0 ? '' : whole
  })
  return { calls, rest }
}

/** `Action: name` with `Action Input:` on the next line; only the first, since models invent what follows it. */
const inActionLines = (text: string, tools: Tools): TextCalls => {
  const action = ACTION.exec(text)
  const tool = tools.get(action?.[1] ?? '')
  if (action === null || tool === undefined) return { calls: [], rest: text }
  const rest = text.slice(0, action.index)
  const tail = text.slice(action.index + action[0].length)
  const mark = ACTION_INPUT.exec(tail)
  if (mark === null) return { calls: [{ name: tool.name, input: {} }], rest }
  const [written = ''] = tail.slice(mark.index + mark[0].length).split(/^[ \t*]*Observation\**[ \t]*:/im)
  return { calls: [{ name: tool.name, input: readInput(written, tool) }], rest }
}

const bare = (text: string, tools: Tools): TextCalls => {
  const written = firstObject(text)
  const calls = written === undefined ? [] : toCalls(written, tools)
  return calls.length === 0 ? { calls, rest: text } : { calls, rest: text.replace(written!, '') }
}

/** Never fails: text without a call that can be read is text. */
export const parseTextCalls = (answer: string, described: readonly ToolDescription[]): TextCalls => {
  const tools: Tools = new Map(described.map((tool) => [tool.name, tool]))
  const text = answer.replaceAll(/<think>[\s\S]*?<\/think>/g, '')
  const found = [
    () => inActionLines(text, tools),
    () => inMarks(text, TAGGED, tools),
    () => inMarks(text, FENCED, tools),
    () => bare(text, tools),
  ]
    .map((find) => find())
    .find(({ calls }) => calls.length > 0)
  return found === undefined ? { calls: [], rest: answer } : { calls: found.calls, rest: found.rest.trim() }
}
