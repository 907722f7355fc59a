/** The files of a topology before they are understood: raw services and templates, and where each stands. */
import { z } from 'zod'
import { checkDocument, type LocatedYaml, readDocument, type YamlPath } from '../kit/index.ts'
import { port } from './port-schema.ts'

type Raw = Readonly<Record<string, unknown>>

/** A part of a document: a service or a template. */
export interface RawPart {
  readonly value: Raw
  readonly document: LocatedYaml
  /** Where it begins in its document. */
  readonly under: YamlPath
}

const map = z.record(z.string(), z.unknown())

/** Of what is made by its name there is no more to know here; the API proves the rest. */
const kubernetesObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string().min(1) }),
})

/** What Kubernetes takes for the name of a Service or a namespace. */
export const label = z
  .string()
  .max(63)
  .regex(/^[a-z](?:[a-z0-9-]*[a-z0-9])?$/, { error: 'must have small letters, digits and - only' })

const headSchema = z.strictObject({
  system: label,
  about: z
    .string()
    .regex(/^[A-Z].*[^.]$/s, { error: 'must begin with a capital, and not end with a full stop' })
    .optional(),
  namespace: label.optional(),
  templates: z.record(z.string(), map).optional(),
  objects: z.array(kubernetesObject).optional(),
  entryPoints: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        service: z.string(),
        port,
        path: z.string().startsWith('/', { error: 'must begin with /' }).optional(),
      }),
    )
    .optional(),
  services: z.record(z.string(), map).optional(),
})

export type TopologyHead = z.infer<typeof headSchema>

export interface TopologySources {
  readonly head: TopologyHead
  readonly document: LocatedYaml
  readonly services: ReadonlyMap<string, RawPart>
  readonly templates: ReadonlyMap<string, RawPart>
  readonly mistakes: readonly string[]
}

export interface SourceFile {
  /** As errors name it. */
  readonly file: string
  readonly text: string
}

const partsOf = (under: string, values: Readonly<Record<string, Raw>> | undefined, document: LocatedYaml) =>
  Object.entries(values ?? {}).map(
    ([name, value]) => [name, { value, document, under: [under, name] }] as const,
  )

const readServiceFile = (
  name: string,
  { file, text }: SourceFile,
  services: Map<string, RawPart>,
): string[] => {
  const document = readDocument(text, file)
  if ('mistakes' in document) return document.mistakes
  const reading = checkDocument(map, document)
  if ('mistakes' in reading) return reading.mistakes
  if (services.has(name)) return [document.mistakeAt([], `is a second service "${name}"`)]
  services.set(name, { value: reading.value, document, under: [] })
  return []
}

/** `others` are files of one service each, by its name. */
export const readSources = (
  main: SourceFile,
  others: Readonly<Record<string, SourceFile>>,
): TopologySources | { readonly mistakes: string[] } => {
  const document = readDocument(main.text, main.file)
  if ('mistakes' in document) return document
  const reading = checkDocument(headSchema, document)
  if ('mistakes' in reading) return reading
  const services = new Map<string, RawPart>(partsOf('services', reading.value.services, document))
  const mistakes = Object.entries(others).flatMap(([name, file]) => readServiceFile(name, file, services))
  const templates = new Map<string, RawPart>(partsOf('templates', reading.value.templates, document))
  if (services.size === 0 && mistakes.length === 0) mistakes.push(document.mistakeAt([], 'has no services'))
  return { head: reading.value, document, services, templates, mistakes }
}
