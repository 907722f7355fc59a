/** Parses Go type declarations for facts that OpenAPI lacks, such as pointers, `omitempty` and protobuf numbers. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface GoFieldFacts {
  /** As `reflect.Type.String()` returns it, without a leading pointer: `[]v1.Container`, `v1.PodPhase`. */
  type: string
  pointer: boolean
  omitEmpty: boolean
  /** The protobuf field numbers, from the outer message inwards: two numbers if Go embeds a struct that protobuf nests. */
  numbers: number[]
  default?: unknown
}

interface StructDeclaration {
  packagePath: string
  body: string
  imports: Map<string, string>
  /** String constants of the same file, quoted. */
  constants: Map<string, string>
}

const FIELD = /^\s+(?:(\w+)\s+)?([*[\]\w.]+)\s+`json:"([^"]*)"(?:.*?\sprotobuf:"([^"]*)")?/

/** All struct declarations below the folder that contains `k8s.io`. */
export class GoStructs {
  readonly #root: string
  readonly #packages = new Map<string, Map<string, StructDeclaration>>()

  constructor(root: string) {
    this.#root = root
  }

  /** The fields by their JSON name, including those of embedded structs. */
  fieldsOf(packagePath: string, name: string, outer: number[] = []): Map<string, GoFieldFacts> {
    const struct = this.#package(packagePath).get(name)
    const fields = new Map<string, GoFieldFacts>()
    if (struct === undefined) return fields
    let defaultText: string | undefined
    for (const line of struct.body.split('\n')) {
      const marker = /\/\/ \+default=(?:ref\((\w+)\)|("[^"]*"|true|false|\d+))$/.exec(line)
      if (marker !== null) defaultText = marker[2] ?? struct.constants.get(marker[1]!)
      const match = FIELD.exec(line)
      if (match === null) continue
      const [, , goType, json, protobuf] = match
      const number = Number(protobuf?.split(',')[1] ?? 0)
      const numbers = [...outer, number]
      const [jsonName, ...options] = json!.split(',')
      if (jsonName === '' && options.includes('inline')) {
        const target = resolveType(struct, goType!.replace('*', ''))
        for (const [key, value] of this.fieldsOf(target.packagePath, target.name, numbers))
          fields.set(key, value)
      } else if (jsonName !== '' && jsonName !== '-') {
        fields.set(jsonName!, {
          type: printedType(struct, goType!.replace(/^\*/, '')),
          pointer: goType!.startsWith('*'),
          omitEmpty: options.includes('omitempty'),
          // The number is zero for apiVersion and kind, which are not part of the message.
          numbers: numbers.includes(0) ? [] : numbers,
          ...(defaultText === undefined ? {} : { default: JSON.parse(defaultText) }),
        })
      }
      defaultText = undefined
    }
    return fields
  }

  #package(path: string): Map<string, StructDeclaration> {
    const known = this.#packages.get(path)
    if (known !== undefined) return known
    const structs = new Map<string, StructDeclaration>()
    this.#packages.set(path, structs)
    const folder = join(this.#root, path)
    for (const file of readdirSync(folder)) {
      if (!file.endsWith('.go') || /_test|generated/.test(file)) continue
      const text = readFileSync(join(folder, file), 'utf8')
      const imports = new Map(
        [...text.matchAll(/^\s+(?:(\w+) )?"(k8s\.io\/[^"]+)"$/gm)].map(([, alias, target]) => [
          alias ?? target!.split('/').at(-1)!,
          target!,
        ]),
      )
      const constants = new Map(
        [...text.matchAll(/^\s+(\w+)\s+\w+\s*= ("[^"]*")$/gm)].map(([, name, value]) => [name!, value!]),
      )
      for (const [, name, body] of text.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
        structs.set(name!, { packagePath: path, body: body!, imports, constants })
      }
    }
    return structs
  }
}

const resolveType = (struct: StructDeclaration, goType: string): { packagePath: string; name: string } => {
  const [first, second] = goType.split('.')
  return second === undefined
    ? { packagePath: struct.packagePath, name: first! }
    : { packagePath: struct.imports.get(first!)!, name: second }
}

const BUILT_IN = new Set(['string', 'bool', 'int32', 'int64', 'float64', 'int', 'uint8'])

const printedType = (struct: StructDeclaration, goType: string): string => {
  if (goType.startsWith('[]')) return `[]${printedType(struct, goType.slice(2))}`
  if (goType.startsWith('*')) return `*${printedType(struct, goType.slice(1))}`
  const map = /^map\[([^\]]+)\](.*)$/.exec(goType)
  if (map !== null) return `map[${printedType(struct, map[1]!)}]${printedType(struct, map[2]!)}`
  if (goType === 'byte') return 'uint8'
  if (BUILT_IN.has(goType)) return goType
  const { packagePath, name } = resolveType(struct, goType)
  return `${packagePath?.split('/').at(-1)}.${name}`
}
