/** Finds tool calls in the text of a model: in fenced JSON blocks, tags, action lines or bare JSON. */
import { isPlainObject } from '#kit'
import type { ToolDescription } from '#spec'
import { findFirstObject, parseLenientJson } from './lenient-json.ts'

export interface TextCall {
  readonly name: string
  readonly input: unknown
}

export interface TextCalls {
  readonly calls: readonly TextCall[]
  /** The text without the calls: the model's thoughts. */
  readonly rest: string
}

const FENCED_BLOCK = /```[\w-]*[ \t]*\n([\s\S]*?)(?:\n[ \t]*```|$)/g
const TAGGED_CALL = /<tool_call>([\s\S]*?)(?:<\/tool_call>|$)/g
const ACTION = /^[ \t*]*Action\**[ \t]*:[ \t*]*[`"]?([\w-]+)[`"]?[ \t*]*$/im
const ACTION_INPUT = /^[ \t*]*Action[ _]Input\**[ \t]*:[ \t*]*/im
const NAME_KEYS = ['tool', 'name', 'tool_name', 'action', 'function']
const INPUT_KEYS = ['input', 'arguments', 'args', 'parameters', 'params', 'action_input', 'tool_input']

/** Returns the name of the only required field, if it is a string. Its value may be written without JSON. */
const findOnlyTextField = (tool: ToolDescription): string | undefined => {
  const required = tool.input.required as readonly string[] | undefined
  const properties = tool.input.properties as Record<string, { type?: string }> | undefined
  const fieldName = required?.length === 1 ? required[0]! : undefined
  return fieldName !== undefined && properties?.[fieldName]?.type === 'string' ? fieldName : undefined
}

const removeFence = (text: string): string => {
  const fenced = /^\s*```[\w-]*[ \t]*\n([\s\S]*?)(?:\n[ \t]*```[\s\S]*|$)/.exec(text)
  return (fenced?.[1] ?? text).trim()
}

/** Parses input that was written as text. Only text that starts with a brace is parsed as an object. */
const parseInput = (inputText: string, tool: ToolDescription): unknown => {
  const text = removeFence(inputText)
  const parsed = text.startsWith('{') ? parseLenientJson(text) : undefined
  if (parsed !== undefined) return parsed
  const fieldName = findOnlyTextField(tool)
  return fieldName === undefined ? text : { [fieldName]: text }
}

type Tools = ReadonlyMap<string, ToolDescription>

/** Returns the call that an object describes, if it names one of the tools. */
const toCall = (value: unknown, tools: Tools): TextCall | undefined => {
  if (!isPlainObject(value)) return undefined
  if (isPlainObject(value.function)) return toCall(value.function, tools)
  const tool = NAME_KEYS.map((key) => tools.get(String(value[key]))).find(
    (candidate) => candidate !== undefined,
  )
  if (tool === undefined) return undefined
  const key = INPUT_KEYS.find((candidate) => Object.hasOwn(value, candidate))
  const fields = key === undefined ? {} : (value[key] ?? {})
  return { name: tool.name, input: typeof fields === 'string' ? parseInput(fields, tool) : fields }
}

const toCalls = (text: string, tools: Tools): TextCall[] => {
  const value = parseLenientJson(text)
  return (Array.isArray(value) ? value : [value])
    .map((candidate) => toCall(candidate, tools))
    .filter((call) => call !== undefined)
}

/** Finds calls inside the matches of a pattern. Matches without a call stay in the text. */
const findMarkedCalls = (text: string, pattern: RegExp, tools: Tools): TextCalls => {
  const calls: TextCall[] = []
  const rest = text.replaceAll(pattern, (match: string, inner: string) => {
    const innerCalls = toCalls(inner, tools)
    calls.push(...innerCalls)
    return innerCalls.length > 0 ? '' : match
  })
  return { calls, rest }
}

/** Finds `Action: name` followed by `Action Input:`. Only the first is used, because models invent what follows it. */
const findActionLines = (text: string, tools: Tools): TextCalls => {
  const action = ACTION.exec(text)
  const tool = tools.get(action?.[1] ?? '')
  if (action === null || tool === undefined) return { calls: [], rest: text }
  const rest = text.slice(0, action.index)
  const tail = text.slice(action.index + action[0].length)
  const inputMark = ACTION_INPUT.exec(tail)
  if (inputMark === null) return { calls: [{ name: tool.name, input: {} }], rest }
  const [inputText = ''] = tail
    .slice(inputMark.index + inputMark[0].length)
    .split(/^[ \t*]*Observation\**[ \t]*:/im)
  return { calls: [{ name: tool.name, input: parseInput(inputText, tool) }], rest }
}

const findBareCalls = (text: string, tools: Tools): TextCalls => {
  const inputText = findFirstObject(text)
  const calls = inputText === undefined ? [] : toCalls(inputText, tools)
  return calls.length === 0 ? { calls, rest: text } : { calls, rest: text.replace(inputText!, '') }
}

/** Never throws. A text without a readable call is returned unchanged. */
export const parseTextCalls = (answer: string, toolDescriptions: readonly ToolDescription[]): TextCalls => {
  const tools: Tools = new Map(toolDescriptions.map((tool) => [tool.name, tool]))
  const text = answer.replaceAll(/<think>[\s\S]*?<\/think>/g, '')
  const parsed = [
    () => findActionLines(text, tools),
    () => findMarkedCalls(text, TAGGED_CALL, tools),
    () => findMarkedCalls(text, FENCED_BLOCK, tools),
    () => findBareCalls(text, tools),
  ]
    .map((find) => find())
    .find(({ calls }) => calls.length > 0)
  return parsed === undefined
    ? { calls: [], rest: answer }
    : { calls: parsed.calls, rest: parsed.rest.trim() }
}
