/** Filters for JSON and YAML. */
import type { Plugin } from '../compile/plugins.ts'
import { dumpJson, type JsonLayout } from '../json/dump-json.ts'
import { parseJson } from '../json/parse-json.ts'
import { iterate } from '../python/iterate.ts'
import { filterError, PythonError, typeError } from '../python/python-error.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { isString, type Keywords, plainCharactersOf, Text } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spendText } from '../work.ts'
import { dumpYaml } from '../yaml/dump-yaml.ts'
import { loadYaml, loadYamlDocuments } from '../yaml/load-yaml.ts'
import { countArgument, filter } from './define-filter.ts'

const indentOf = (value: unknown): string | undefined => {
  if (value === null) return undefined
  if (isString(value)) return plainCharactersOf(value)
  const width = Math.max(0, countArgument(value))
  spendText(width)
  return ' '.repeat(width)
}

/** Options of `json.dumps` without an effect here. */
const IGNORED = new Set(['vault_to_text', 'preprocess_unsafe', 'allow_nan'])

const separatorsOf = (value: unknown): Pick<JsonLayout, 'itemSeparator' | 'keySeparator'> => {
  const parts = iterate(value)
  const [item, key] = parts
  if (parts.length !== 2 || !isString(item) || !isString(key))
    throw new UnsupportedTemplate('these separators of JSON')
  return { itemSeparator: plainCharactersOf(item), keySeparator: plainCharactersOf(key) }
}

const layoutOf = (keywords: Keywords): JsonLayout => {
  const indent = indentOf(keywords.get('indent') ?? null)
  let layout: JsonLayout = {
    indent,
    sortsKeys: isTruthy(keywords.get('sort_keys') ?? false),
    isAscii: !keywords.has('ensure_ascii') || isTruthy(keywords.get('ensure_ascii')),
    itemSeparator: indent === undefined ? ', ' : ',',
    keySeparator: ': ',
    isAnsible: true,
  }
  for (const [name, value] of keywords) {
    if (name === 'separators' && value !== null) layout = { ...layout, ...separatorsOf(value) }
    else if (!['indent', 'sort_keys', 'ensure_ascii', 'separators'].includes(name) && !IGNORED.has(name))
      throw new UnsupportedTemplate(`the option ${name} of to_json`)
  }
  return layout
}

const toJson: Plugin = (_, value, args, keywords) => {
  if (args.length > 0) throw typeError('dumps() takes 1 positional argument but more were given')
  return dumpJson(value, layoutOf(keywords))
}

const toNiceJson: Plugin = (_, value, args, keywords) => {
  if (args.length > 2) throw new UnsupportedTemplate('these arguments of to_nice_json')
  if (keywords.has('separators'))
    throw typeError(
      "ansible.plugins.filter.core.to_json() got multiple values for keyword argument 'separators'",
    )
  const named = new Map<string, unknown>([
    ['indent', args[0] ?? 4],
    ['sort_keys', args[1] ?? true],
    ...keywords,
  ])
  return dumpJson(value, { ...layoutOf(named), itemSeparator: ',', keySeparator: ': ' })
}

const toHtmlJson = (value: unknown, indent: unknown): Text => {
  const layout = layoutOf(
    new Map([
      ['sort_keys', true],
      ['indent', indent],
    ] as [string, unknown][]),
  )
  const json = dumpJson(value, { ...layout, isAnsible: false })
  const escaped = json
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll("'", '\\u0027')
  spendText(escaped.length)
  return new Text(escaped, 'Markup')
}

const fromJson = (value: unknown): unknown => {
  if (!isString(value))
    throw typeError(`the JSON object must be str, bytes or bytearray, not ${typeName(value)}`)
  return parseJson(plainCharactersOf(value))
}

/** Options of the YAML dumper that are supported. */
const yamlLayout = (keywords: Keywords, indent: unknown, flow: boolean | undefined) => {
  const known = new Set(['indent', 'width', 'sort_keys', 'default_flow_style', 'allow_unicode'])
  for (const name of keywords.keys())
    if (!known.has(name)) throw new UnsupportedTemplate(`the option ${name} of to_yaml`)
  if (keywords.has('allow_unicode'))
    throw typeError("yaml.dump() got multiple values for keyword argument 'allow_unicode'")
  const width = keywords.get('width') ?? null
  const level = keywords.get('indent') ?? indent
  return {
    indent: level === null ? 2 : countArgument(level),
    width: width === null ? 80 : countArgument(width),
    sortsKeys: !keywords.has('sort_keys') || isTruthy(keywords.get('sort_keys')),
    flow,
  }
}

const dumpOrFail = (name: string, dump: () => string): string => {
  try {
    return dump()
  } catch (error) {
    if (error instanceof PythonError) throw filterError(`${name} - ${error.message}. ${error.message}`)
    throw error
  }
}

const toYaml: Plugin = (_, value, __, keywords) => {
  const style = keywords.get('default_flow_style') ?? null
  const flow = style === null ? undefined : isTruthy(style)
  return dumpOrFail('to_yaml', () => dumpYaml(value, yamlLayout(keywords, null, flow)))
}

const toNiceYaml: Plugin = (_, value, args, keywords) => {
  if (keywords.has('default_flow_style'))
    throw filterError(
      "to_nice_yaml - yaml.dump() got multiple values for keyword argument 'default_flow_style'",
    )
  return dumpOrFail('to_nice_yaml', () => dumpYaml(value, yamlLayout(keywords, args[0] ?? 4, false)))
}

export const JSON_FILTERS: Readonly<Record<string, Plugin>> = {
  from_json: filter('loads()', fromJson),
  from_yaml: filter('from_yaml()', (value) => (isString(value) ? loadYaml(plainCharactersOf(value)) : value)),
  from_yaml_all: filter('from_yaml_all()', (value) =>
    isString(value) ? loadYamlDocuments(plainCharactersOf(value)) : value,
  ),
  to_json: toJson,
  to_nice_json: toNiceJson,
  to_nice_yaml: toNiceYaml,
  to_yaml: toYaml,
}

export const JINJA_JSON_FILTERS: Readonly<Record<string, Plugin>> = {
  tojson: filter('do_tojson(indent=None)', toHtmlJson),
}
