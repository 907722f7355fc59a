/** Commands that read documents. */
import type { Document } from '../bson.ts'
import { toKey } from '../compare-values.ts'
import { valuesAt } from '../document-path.ts'
import { matchesFilter } from '../match-filter.ts'
import { aggregateDocuments, projectDocument, sortDocuments } from '../shape-documents.ts'
import { type Command, type CommandContext, namespaceOf } from './command.ts'

/** Returns the documents that match the filter, unsorted, up to a limit. */
export const findDocuments = (
  { store }: CommandContext,
  namespace: string,
  filter: Document,
  maxDocuments = Number.POSITIVE_INFINITY,
): Document[] => {
  const found: Document[] = []
  for (const document of store.collection(namespace)?.candidates(filter) ?? []) {
    if (!matchesFilter(document, filter)) continue
    found.push(document)
    if (found.length >= maxDocuments) break
  }
  return found
}

const find: Command = {
  action: 'read',
  run: (context, command) => {
    const namespace = namespaceOf(context, command.find)
    const { filter = {}, sort, skip = 0, limit = 0, projection } = command
    const maxDocuments = sort || limit === 0 ? undefined : skip + Math.abs(limit)
    let found = findDocuments(context, namespace, filter, maxDocuments)
    if (sort && Object.keys(sort).length > 0) found = sortDocuments(found, sort)
    found = found.slice(skip, limit === 0 ? undefined : skip + Math.abs(limit))
    if (projection && Object.keys(projection).length > 0)
      found = found.map((document) => projectDocument(document, projection))
    return context.cursors.begin(namespace, found, command.batchSize, command.singleBatch === true)
  },
}

const aggregate: Command = {
  action: 'read',
  run: (context, command) => {
    const namespace = namespaceOf(context, command.aggregate)
    const [first, ...remaining] = command.pipeline as readonly Document[]
    const found = findDocuments(context, namespace, first?.$match ?? {})
    const stages = first && !first.$match ? [first, ...remaining] : remaining
    return context.cursors.begin(namespace, aggregateDocuments(found, stages), command.cursor?.batchSize)
  },
}

const count: Command = {
  action: 'read',
  run: (context, command) => {
    const { query = {}, skip = 0, limit = 0 } = command
    const namespace = namespaceOf(context, command.count)
    const all =
      Object.keys(query).length === 0
        ? (context.store.collection(namespace)?.size ?? 0)
        : findDocuments(context, namespace, query).length
    const rest = Math.max(0, all - skip)
    return { n: limit === 0 ? rest : Math.min(rest, Math.abs(limit)) }
  },
}

const distinct: Command = {
  action: 'read',
  run: (context, command) => {
    const path = String(command.key).split('.')
    const found = findDocuments(context, namespaceOf(context, command.distinct), command.query ?? {})
    const values = found.flatMap((document) => valuesAt(document, path)).flat()
    return { values: [...new Map(values.map((value) => [toKey(value), value])).values()] }
  },
}

const getMore: Command = {
  action: 'read',
  run: ({ cursors }, command) => cursors.next(Number(command.getMore), command.batchSize),
}

const killCursors: Command = {
  action: 'none',
  run: ({ cursors }, command) => {
    const ids = (command.cursors as readonly number[]).map(Number)
    const killed = ids.filter((id) => cursors.kill(id))
    const notFound = ids.filter((id) => !killed.includes(id))
    return {
      cursorsKilled: killed.map(BigInt),
      cursorsNotFound: notFound.map(BigInt),
      cursorsAlive: [],
      cursorsUnknown: [],
    }
  },
}

export const READ_COMMANDS: Readonly<Record<string, Command>> = {
  find,
  aggregate,
  count,
  distinct,
  getMore,
  killCursors,
}
