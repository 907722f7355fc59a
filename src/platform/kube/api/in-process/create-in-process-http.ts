/** Answers HTTP requests for objects without sockets, for programs in simulated pods. */
import { methodNotAllowed, noSuchResource, unauthorized } from '#platform/kube/meta'
import type { Authenticator } from '#platform/kube/ports'
import type { HttpRequestContent, HttpResponseContent } from '#spec'
import { listForm, objectJson } from '../answer/encode.ts'
import { toApiError } from '../answer/respond.ts'
import type { ApiService } from '../api-service.ts'
import { bearerTokenOf } from '../http/credentials-of.ts'
import type { Answer } from '../objects/perform.ts'
import { type ApiCall, isStream } from '../request/api-call.ts'
import { parseObjectBody, parsePatchBody, patchTypeOf } from '../request/parse-body.ts'
import { parsePath } from '../request/parse-path.ts'
import { parseRequestUrl } from '../request/parse-request-url.ts'
import { requestVerb } from '../request/request-verb.ts'

export interface InProcessHttpOptions {
  readonly service: ApiService
  readonly authenticator: Authenticator
  /** Receives errors other than ApiError. */
  onUnexpected(error: unknown): void
}

const answerWith = (status: number, body: string, type = 'application/json'): HttpResponseContent => ({
  status,
  headers: { 'content-type': type },
  body,
})

const readBody = (call: ApiCall, { headers, body = '' }: HttpRequestContent): void => {
  const bytes = Buffer.from(body)
  const type = headers['content-type']
  if (call.verb === 'patch') {
    call.patchType = patchTypeOf(type)
    call.body = parsePatchBody(bytes, call.patchType)
  } else if (call.verb === 'create' || call.verb === 'update')
    call.body = parseObjectBody(bytes, type, call.served.kind.kind)
  else if (bytes.length > 0) call.body = parseObjectBody(bytes, type, 'DeleteOptions')
}

const toJson = ({ served }: ApiCall, answer: Answer): string => {
  if ('status' in answer) return JSON.stringify(answer.status)
  if ('object' in answer) return objectJson(answer.object)
  const { head, item, tail } = listForm(served, answer.list)
  return `${head}${answer.list.items.map((object) => item(object, true)).join(',')}${tail}`
}

/** Throws if the request is not for a stored resource, or needs a stream. */
const toCall = ({ service, authenticator }: InProcessHttpOptions, request: HttpRequestContent): ApiCall => {
  const token = bearerTokenOf(request.headers.authorization)
  const user = authenticator.authenticate(token === '' ? {} : { bearerToken: token })
  if (user === undefined) throw unauthorized()
  const url = parseRequestUrl(request.target)
  const path = url === undefined ? undefined : parsePath(url.path)
  if (url === undefined || path === undefined || path.rest !== '') throw noSuchResource()
  const { query } = url
  const { group, version, plural, namespace, name, subresource } = path
  const verb = requestVerb(request.method, path, query)
  const served = service.core.directory.find(group, version, plural)
  if (served === undefined) throw noSuchResource()
  if (verb === undefined || verb === 'watch' || isStream(group, plural, subresource)) throw methodNotAllowed()
  const userAgent = request.headers['user-agent'] ?? ''
  return { user, verb, served, namespace, name, subresource, query, userAgent, warnings: [] }
}

/** Authenticates by bearer tokens, and answers in JSON. */
export const createInProcessHttp =
  (options: InProcessHttpOptions) =>
  async (request: HttpRequestContent): Promise<HttpResponseContent> => {
    if (request.isEncrypted !== true)
      return answerWith(400, 'Client sent an HTTP request to an HTTPS server.\n', 'text/plain; charset=utf-8')
    const { service, onUnexpected } = options
    try {
      const call = toCall(options, request)
      service.admit(call, request.target)
      const answer = await service.callAdmitted(call, request.target, async () => readBody(call, request))
      return answerWith(answer.code, toJson(call, answer))
    } catch (thrown) {
      const error = toApiError(thrown, onUnexpected)
      return answerWith(error.code, `${JSON.stringify(error.toStatus())}\n`)
    }
  }
