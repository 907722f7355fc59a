/** Gives an answer the form that was negotiated, and sends it. */
import type { ServerResponse } from 'node:http'
import type { ApiCall } from './api-call.ts'
import { listJson, metadataJson, metadataListJson, objectJson } from './encode.ts'
import type { Form } from './negotiate.ts'
import type { Answer } from './perform.ts'
import { respond } from './respond.ts'
import { listTable, objectTable, readInclude } from './table.ts'

const answerJson = (call: ApiCall, answer: Answer, form: Form, now: number): string => {
  const { served } = call
  if ('status' in answer) return JSON.stringify(answer.status)
  if (form.as === 'metadata')
    return 'list' in answer
      ? metadataListJson(answer.list, form.apiVersion)
      : metadataJson(answer.object, form.apiVersion)
  const isOwn = 'list' in answer || answer.object.kind === served.kind.kind
  if (form.as === 'table' && isOwn) {
    const table = { apiVersion: form.apiVersion, include: readInclude(call.query), now }
    return 'list' in answer
      ? listTable(served, answer.list, table)
      : objectTable(served, answer.object, table)
  }
  return 'list' in answer ? listJson(served, answer.list) : objectJson(answer.object)
}

export const sendAnswer = (
  response: ServerResponse,
  call: ApiCall,
  answer: Answer,
  { form, pretty, now }: { form: Form; pretty: boolean; now: number },
): void => {
  const json = answerJson(call, answer, form, now)
  const yaml = form.as === 'object' && form.yaml
  respond(response, { code: answer.code, json, warnings: call.warnings }, { yaml, pretty })
}
