/** The answers of a small web shop, for tests of clients and generators. */

export interface ShopRequest {
  /** `METHOD /target` */
  readonly line: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface ShopAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
  readonly body?: string
}

/** `silence`: never answers; `cut`: closes the connection during the answer; `upgrade`: switches protocols unasked. */
type Misbehaviour = 'silence' | 'cut' | 'upgrade'

/** A list of 6 MB. */
const HUGE = `[${'{},'.repeat(2_000_000)}{}]`
const JSON_TYPE = { 'content-type': 'application/json' }

const ROUTES: Readonly<Record<string, (request: ShopRequest) => ShopAnswer | Misbehaviour>> = {
  'GET /ok': () => ({ body: 'fine' }),
  'GET /ok?last': () => ({ body: 'fine', headers: { connection: 'close' } }),
  'GET /empty-shop': () => ({ headers: JSON_TYPE, body: '{"items": []}' }),
  'GET /broken': () => ({ status: 500, body: 'no   stock\ntoday' }),
  'GET /silent': () => 'silence',
  'GET /huge': () => ({ headers: JSON_TYPE, body: HUGE }),
  'GET /cut': () => 'cut',
  'GET /upgrade': () => 'upgrade',
  'POST /login': ({ body }) => ({
    status: 302,
    headers: { location: '/home?from=login' },
    cookies: [`session=${body}; Path=/`, 'old=; Max-Age=0'],
  }),
  'GET /home?from=login': ({ headers }) => ({ body: `hello ${headers.cookie}` }),
  'GET /around': () => ({ status: 302, headers: { location: '/around' } }),
  'GET /away': () => ({ status: 302, headers: { location: 'http://elsewhere.invalid/' }, body: 'away' }),
  'POST /echo': ({ body, headers }) => ({ body: JSON.stringify({ body, type: headers['content-type'] }) }),
}

export const answerShopRequest = (request: ShopRequest): ShopAnswer | Misbehaviour =>
  ROUTES[request.line]?.(request) ?? { status: 404 }
