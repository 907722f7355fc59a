/** Shortens references of images as container runtimes do, so that references to the same image are equal. */
import type { ApiObject } from './kube-api.ts'

const DEFAULT_REGISTRY = 'docker.io'
/** An old name of the default registry. */
const OLD_DEFAULT_REGISTRY = 'index.docker.io'
/** The folder of the default registry that a name without a slash is in. */
const DEFAULT_FOLDER = 'library/'
const DEFAULT_TAG = 'latest'

/** Whether the first part of a name is a registry, and not a folder of the default one. */
const isRegistry = (part: string): boolean => /[.:A-Z]/.test(part) || part === 'localhost'

/** `docker.io/library/python:3.9` and `python:3.9` become `python:3.9`; `python` becomes `python:latest`. */
export const toFamiliarImage = (image: string): string => {
  const slash = image.indexOf('/')
  const first = slash < 0 ? '' : image.slice(0, slash)
  const isDefault = !isRegistry(first) || [DEFAULT_REGISTRY, OLD_DEFAULT_REGISTRY].includes(first)
  const path = isDefault && isRegistry(first) ? image.slice(slash + 1) : image
  const isInDefaultFolder =
    path.startsWith(DEFAULT_FOLDER) && !path.slice(DEFAULT_FOLDER.length).includes('/')
  const name = isDefault && isInDefaultFolder ? path.slice(DEFAULT_FOLDER.length) : path
  const hasTag = name.lastIndexOf(':') > name.lastIndexOf('/')
  return image === '' || hasTag || name.includes('@') ? name : `${name}:${DEFAULT_TAG}`
}

/** Whether two references mean the same image. */
export const isSameImage = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && toFamiliarImage(a) === toFamiliarImage(b)

type Fields = Readonly<Record<string, unknown>>

const CONTAINER_LISTS: readonly string[] = ['initContainers', 'containers', 'ephemeralContainers']
/** The fields that lead from the spec of a workload to that of its pods. */
const TEMPLATE_FIELDS: readonly string[] = ['template', 'jobTemplate', 'spec']

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const inContainer = (container: unknown): unknown =>
  isFields(container) && typeof container.image === 'string'
    ? { ...container, image: toFamiliarImage(container.image) }
    : container

const inSpec = (spec: Fields): Fields =>
  Object.fromEntries(
    Object.entries(spec).map(([name, value]) => {
      if (CONTAINER_LISTS.includes(name) && Array.isArray(value)) return [name, value.map(inContainer)]
      return [name, TEMPLATE_FIELDS.includes(name) && isFields(value) ? inSpec(value) : value]
    }),
  )

/** The object with shortened references of the images of all containers, also of those in templates. */
export const withFamiliarImages = (object: ApiObject): ApiObject =>
  isFields(object.spec) ? { ...object, spec: inSpec(object.spec) } : object
