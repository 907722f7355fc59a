/** One member of a MySQL cluster: looks after its own MySQL, hears the others, and leads or follows. */
import { createServer, type Server } from 'node:net'
import { type Decision, decide, type MemberState } from './election.ts'
import { askMember } from './members.ts'
import type { MysqlState, OwnMysql } from './own-mysql.ts'
import type { Member, PodApi } from './pod-api.ts'

export interface XenonOptions {
  /** Of its pod. */
  readonly name: string
  readonly port: number
  readonly mysql: OwnMysql
  readonly pods: PodApi
  /** Of the others; the same everywhere where absent. */
  portsOf?(member: Member): { readonly xenon: number; readonly mysql: number }
  readonly log: (text: string) => void
}

/** Between two looks at the others; shorter while nobody leads. */
const PERIOD_MS = 1_000
const HURRY_MS = 200

/** The list of the pods is asked for again. */
const LIST_MS = 10_000

export class Xenon {
  #state: MemberState
  #members: readonly Member[] = []
  #listedAt = Number.NEGATIVE_INFINITY
  #label: string | undefined
  #leader: string | undefined
  #leaderSeenAt = Number.NEGATIVE_INFINITY
  readonly #startedAt = performance.now()
  #aliveAt = performance.now()
  #heardAt = performance.now()
  #server: Server | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false
  readonly #options: XenonOptions

  constructor(options: XenonOptions) {
    this.#options = options
    this.#state = { name: options.name, leading: false, term: 0, alive: false, position: 0, labelled: false }
  }

  get state(): MemberState {
    return this.#state
  }

  /** Resolves when it can be asked. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', (question) => {
          const isPing = question.toString().startsWith('ping')
          socket.end(`${isPing ? 'OK' : JSON.stringify(this.#state)}\n`)
        })
      })
      this.#server.once('error', reject)
      this.#server.listen(this.#options.port, () => {
        this.#look()
        resolve()
      })
    })
  }

  /** What is written from now on would be lost: the others do not follow any more. */
  async leave(): Promise<void> {
    this.#rest()
    if (this.#state.leading) await this.#options.mysql.resign().catch(() => undefined)
    this.close()
  }

  /** It looks at nobody any more. */
  #rest(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  close(): void {
    this.#rest()
    this.#server?.close()
    this.#options.mysql.close()
  }

  #look(): void {
    this.#turn()
      .catch((error: Error) => this.#options.log(`[ERROR] ${error.message}`))
      .then(() => {
        const isSettled = this.#label !== undefined && (this.#state.leading || this.#leader !== undefined)
        if (!this.#closed) this.#timer = setTimeout(() => this.#look(), isSettled ? PERIOD_MS : HURRY_MS)
      })
  }

  async #turn(): Promise<void> {
    await this.#list()
    const mysql = await this.#options.mysql.state()
    const now = performance.now()
    if (mysql !== undefined) this.#aliveAt = now
    this.#state = {
      ...this.#state,
      alive: mysql !== undefined,
      position: mysql?.position ?? this.#state.position,
    }
    const others = await this.#hear()
    if (2 * (others.length + 1) > this.#members.length) this.#heardAt = now
    this.#noteLeader(others)
    const decision = decide({
      self: this.#state,
      others,
      members: Math.max(1, this.#members.length),
      leaderlessMs: now - this.#leaderSeenAt,
      startedMs: now - this.#startedAt,
      deadMs: now - this.#aliveAt,
      aloneMs: now - this.#heardAt,
    })
    await this.#enact(decision, mysql)
  }

  /** What the API said last, where it does not answer. */
  async #list(): Promise<void> {
    const patience = this.#leader === undefined && !this.#state.leading ? HURRY_MS : LIST_MS
    if (performance.now() - this.#listedAt < patience) return
    try {
      this.#members = await this.#options.pods.members()
      this.#listedAt = performance.now()
      this.#label = this.#members.find(({ name }) => name === this.#options.name)?.role
      if (this.#state.term === 0) this.#state = { ...this.#state, labelled: this.#label === 'leader' }
    } catch (error) {
      this.#options.log(`[WARN] pods are not known: ${(error as Error).message}`)
    }
  }

  async #hear(): Promise<MemberState[]> {
    const others = this.#members.filter(({ name, host }) => name !== this.#options.name && host !== '')
    const states = await Promise.all(
      others.map((member) => askMember(member.host, this.#portsOf(member).xenon)),
    )
    // An address may belong to another pod by now.
    return states.filter((state, at): state is MemberState => state?.name === others[at]!.name)
  }

  #portsOf(member: Member): { readonly xenon: number; readonly mysql: number } {
    return this.#options.portsOf?.(member) ?? { xenon: this.#options.port, mysql: 3306 }
  }

  #noteLeader(others: readonly MemberState[]): void {
    const former = this.#leader
    const leader = others.find(({ leading, alive }) => leading && alive)
    if (leader !== undefined) {
      this.#leader = leader.name
      this.#leaderSeenAt = performance.now()
      return
    }
    const says = others.find(({ name }) => name === former)
    if (former === undefined || says?.leading) return
    const isThere = this.#members.some(({ name }) => name === former)
    // It says itself that it does not lead any more, or its pod is gone: nothing to wait for.
    if (says !== undefined || !isThere) this.#leaderSeenAt = Number.NEGATIVE_INFINITY
    // Its pod may have gone, which the list tells.
    this.#listedAt = Math.min(this.#listedAt, performance.now() - LIST_MS + PERIOD_MS)
    if (performance.now() - this.#leaderSeenAt > LIST_MS) this.#leader = undefined
  }

  async #enact(decision: Decision, mysql: MysqlState | undefined): Promise<void> {
    if (decision === 'wait') return
    if (decision === 'resign') {
      this.#become(false, this.#state.term)
      await this.#mark('follower')
      if (mysql !== undefined) await this.#options.mysql.resign()
    } else if ('lead' in decision) {
      if (mysql !== undefined && (mysql.readOnly || mysql.follows !== '')) await this.#options.mysql.lead()
      this.#become(true, decision.lead)
      await this.#mark('leader')
    } else await this.#follow(decision.follow, decision.term, mysql)
  }

  async #follow(name: string, term: number, mysql: MysqlState | undefined): Promise<void> {
    const leader = this.#members.find((member) => member.name === name)
    this.#become(false, term)
    this.#leader = name
    await this.#mark('follower')
    if (leader === undefined || mysql === undefined) return
    const port = this.#portsOf(leader).mysql
    if (mysql.readOnly && mysql.follows === `${leader.host}:${port}`) return
    await this.#options.mysql.follow(leader.host, port)
    this.#options.log(`[INFO] FOLLOWER[ID:${this.#options.name}].follows.leader[${name}]`)
  }

  #become(leading: boolean, term: number): void {
    if (leading === this.#state.leading && term === this.#state.term) return
    this.#state = { ...this.#state, leading, term }
    this.#leader = undefined
    const role = leading ? 'LEADER' : 'FOLLOWER'
    this.#options.log(`[INFO] ${role}[ID:${this.#options.name}, V:${term}].state.machine.run`)
  }

  async #mark(role: 'leader' | 'follower'): Promise<void> {
    if (this.#label === role) return
    await this.#options.pods.label(this.#options.name, role)
    this.#label = role
  }
}
