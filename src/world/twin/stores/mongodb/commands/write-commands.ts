/** Commands that change documents. The server answers them once the change is on the disk. */
import type { Document } from '../bson.ts'
import { toKey } from '../compare-values.ts'
import { MongoFailure, toMongoFailure } from '../mongo-failure.ts'
import { projectDocument, sortDocuments } from '../shape-documents.ts'
import { documentOfFilter, updateDocument } from '../update-document.ts'
import { type Command, type CommandContext, namespaceOf } from './command.ts'
import { findDocuments } from './read-commands.ts'

const withId = ({ host }: CommandContext, document: Document): Document =>
  document._id === undefined ? { _id: host.createId(), ...document } : document

/**
 * Runs the statements in order. The reply lists rejected statements; the first one ends an ordered write. A
 * failed disk write fails the whole command, and none of its changes apply.
 */
const runStatements = async (
  statements: readonly Document[],
  ordered: boolean,
  run: (statement: Document, index: number) => readonly Promise<void>[],
): Promise<Document> => {
  const writes: Promise<void>[] = []
  const writeErrors: Document[] = []
  for (const [index, statement] of statements.entries())
    try {
      writes.push(...run(statement, index))
    } catch (error) {
      writeErrors.push(toMongoFailure(error).toWriteError(index))
      if (ordered) break
    }
  const results = await Promise.allSettled(writes)
  for (const result of results) if (result.status === 'rejected') throw toMongoFailure(result.reason)
  return writeErrors.length > 0 ? { writeErrors } : {}
}

const statementsOf = (command: Document, field: string): readonly Document[] => {
  const statements = command[field]
  if (!Array.isArray(statements) || statements.length === 0)
    throw new MongoFailure('BadValue', `the command needs "${field}", a list with at least one element`)
  return statements
}

const insert: Command = {
  action: 'write',
  run: async (context, command) => {
    const namespace = namespaceOf(context, command.insert)
    let n = 0
    const result = await runStatements(
      statementsOf(command, 'documents'),
      command.ordered !== false,
      (document) => {
        const write = context.store.insert(namespace, withId(context, document))
        n++
        return [write]
      },
    )
    return { n, ...result }
  },
}

const upsert = (context: CommandContext, namespace: string, filter: Document, update: unknown) => {
  const options = { now: context.host.now(), isInsert: true }
  const document = withId(context, updateDocument(documentOfFilter(filter), update, options))
  return { document, write: context.store.insert(namespace, document) }
}

const isChanged = (left: Document, right: Document): boolean => toKey(left) !== toKey(right)

const update: Command = {
  action: 'write',
  run: async (context, command) => {
    const namespace = namespaceOf(context, command.update)
    let n = 0
    let nModified = 0
    const upserted: Document[] = []
    const runUpdate = ({ q = {}, u, multi, upsert: isUpsert }: Document, index: number) => {
      const found = findDocuments(context, namespace, q, multi ? undefined : 1)
      n += found.length
      const writes = found.flatMap((document) => {
        const next = updateDocument(document, u, { now: context.host.now() })
        if (!isChanged(document, next)) return []
        const write = context.store.replace(namespace, next)
        nModified++
        return [write]
      })
      if (found.length > 0 || !isUpsert) return writes
      const inserted = upsert(context, namespace, q, u)
      n++
      upserted.push({ index, _id: inserted.document._id })
      return [inserted.write]
    }
    const result = await runStatements(statementsOf(command, 'updates'), command.ordered !== false, runUpdate)
    return { n, nModified, ...(upserted.length > 0 && { upserted }), ...result }
  },
}

const remove: Command = {
  action: 'write',
  run: async (context, command) => {
    const namespace = namespaceOf(context, command.delete)
    let n = 0
    const result = await runStatements(
      statementsOf(command, 'deletes'),
      command.ordered !== false,
      ({ q = {}, limit }) => {
        const found = findDocuments(context, namespace, q, limit === 1 ? 1 : undefined)
        n += found.length
        return found.map((document) => context.store.remove(namespace, document._id))
      },
    )
    return { n, ...result }
  },
}

const findAndModify: Command = {
  action: 'write',
  run: async (context, command) => {
    const namespace = namespaceOf(context, command.findAndModify ?? command.findandmodify)
    const {
      query = {},
      sort,
      update: change,
      remove: isRemoval,
      upsert: isUpsert,
      new: returnsNew,
      fields,
    } = command
    const all = findDocuments(context, namespace, query, sort ? undefined : 1)
    const [before] = sort ? sortDocuments(all, sort) : all
    const project = (document: Document | undefined) =>
      document && fields ? projectDocument(document, fields) : (document ?? null)
    if (isRemoval) {
      if (before) await context.store.remove(namespace, before._id)
      return { lastErrorObject: { n: before ? 1 : 0 }, value: project(before) }
    }
    if (before) {
      const next = updateDocument(before, change, { now: context.host.now() })
      await context.store.replace(namespace, next)
      return { lastErrorObject: { n: 1, updatedExisting: true }, value: project(returnsNew ? next : before) }
    }
    if (!isUpsert) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null }
    const { document, write } = upsert(context, namespace, query, change)
    await write
    const lastErrorObject = { n: 1, updatedExisting: false, upserted: document._id }
    return { lastErrorObject, value: returnsNew ? project(document) : null }
  },
}

export const WRITE_COMMANDS: Readonly<Record<string, Command>> = {
  insert,
  update,
  delete: remove,
  findAndModify,
  findandmodify: findAndModify,
}
