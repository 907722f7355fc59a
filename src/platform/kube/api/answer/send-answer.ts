/** Renders an answer in the negotiated form and sends it. */
import type { ServerResponse } from 'node:http'
import type { ObjectList } from '../objects/list-objects.ts'
import type { Answer } from '../objects/perform.ts'
import type { ApiCall } from '../request/api-call.ts'
import { type ListForm, listForm, metadataJson, metadataListForm, objectJson } from './encode.ts'
import { listChunks } from './list-chunks.ts'
import type { Form } from './negotiate.ts'
import { replyHeaders, respond } from './respond.ts'
import { type ChunkSender, sendChunks } from './send-chunks.ts'
import { objectTable, readInclude, type TableOptions, tableForm } from './table.ts'

/** Longer lists are sent in chunks, without Content-Length. */
const MAX_UNCHUNKED_ITEMS = 1000

export interface AnswerOptions {
  form: Form
  pretty: boolean
  now: number
  sender: ChunkSender
}

const tableOptions = ({ query }: ApiCall, apiVersion: string, now: number): TableOptions => ({
  apiVersion,
  include: readInclude(query),
  now,
})

const formOfList = (call: ApiCall, list: ObjectList, { form, now }: AnswerOptions): ListForm => {
  if (form.as === 'metadata') return metadataListForm(list, form.apiVersion)
  if (form.as === 'table') return tableForm(call.served, list, tableOptions(call, form.apiVersion, now))
  return listForm(call.served, list)
}

const answerJson = (
  call: ApiCall,
  answer: Exclude<Answer, { list: ObjectList }>,
  { form, now }: AnswerOptions,
): string => {
  if ('status' in answer) return JSON.stringify(answer.status)
  if (form.as === 'metadata') return metadataJson(answer.object, form.apiVersion)
  if (form.as === 'table' && answer.object.kind === call.served.kind.kind)
    return objectTable(call.served, answer.object, tableOptions(call, form.apiVersion, now))
  return objectJson(answer.object)
}

export const sendAnswer = (
  response: ServerResponse,
  call: ApiCall,
  answer: Answer,
  options: AnswerOptions,
): void => {
  const { code } = answer
  const { warnings } = call
  const rendering = { yaml: options.form.as === 'object' && options.form.yaml, pretty: options.pretty }
  if (!('list' in answer)) {
    respond(response, { code, json: answerJson(call, answer, options), warnings }, rendering)
    return
  }
  const { items } = answer.list
  const form = formOfList(call, answer.list, options)
  if (items.length > MAX_UNCHUNKED_ITEMS) {
    if (response.destroyed) return
    response.writeHead(code, replyHeaders({ warnings }, rendering))
    sendChunks(response, listChunks(form, items, rendering), options.sender)
    return
  }
  const json = `${form.head}${items.map((object) => form.item(object, true)).join(',')}${form.tail}`
  respond(response, { code, json, warnings }, rendering)
}
