/** The list of the actions, thoughts and model calls of a solver. */
import { count, duration, moment, money, plural } from './format.ts'
import { highlightYaml } from './highlight-yaml.ts'
import { type Html, html } from './html.ts'
import type { EpisodeStory, StoryEntry } from './story.ts'

type EntryOf<Kind extends StoryEntry['kind']> = Extract<StoryEntry, { kind: Kind }>

const item = (at: number, kind: string, name: Html | string, body: Html): Html =>
  html`<li class="entry ${kind}"><span class="when">${moment(at)}</span><div><p class="what">${name}</p>${body}</div></li>`

/** A collapsible text. */
const fold = (summary: string, text: string, isOpen: boolean): Html =>
  text.trim() === ''
    ? html``
    : html`<details class="fold"${isOpen && html` open`}><summary>${summary}</summary><pre tabindex="0">${text.trimEnd()}</pre></details>`

const countLines = (text: string): number => text.trimEnd().split('\n').length

/** Longer texts are collapsed. */
const MAX_OPEN_LINES = 14

const thought = ({ at, role, text }: EntryOf<'thought'>): Html =>
  item(
    at,
    'thought',
    role === undefined ? 'Thought' : html`Thought <b>${role}</b>`,
    html`<p class="text">${text}</p>`,
  )

const modelCall = (entry: EntryOf<'model-call'>): Html => {
  const { tokens, costUsd, took, tries, finish } = entry
  const facts = [
    duration(took),
    `${count(tokens.input)} tokens in, ${count(tokens.output)} out`,
    ...(costUsd === undefined ? [] : [money(costUsd)]),
    ...(tries > 1 ? [`${tries} tries`] : []),
    ...(finish === 'stop' || finish === 'tool-calls' ? [] : [`finish: ${finish}`]),
  ]
  const name = html`Called <b>${entry.model}</b> as ${entry.role} <span class="facts">${facts.join(' · ')}</span>`
  return item(
    entry.at,
    'model-call',
    name,
    html`${entry.messages.map((message) => fold(message.role, message.text, false))}${
      entry.answer.trim() !== '' && html`<p class="text">${entry.answer.trim()}</p>`
    }${entry.calls.map((call) => html`<p class="call"><code>${call}</code></p>`)}`,
  )
}

const isEmptyInput = (input: string): boolean => ['', '{}', 'null'].includes(input.trim())

/** A short input is shown next to the name of the action. */
const isBrief = (input: string): boolean => input.length <= 100 && !input.includes('\n')

const action = (entry: EntryOf<'action'>): Html => {
  const input = isEmptyInput(entry.input) ? '' : entry.input.trimEnd()
  const { observation } = entry
  return item(
    entry.at,
    'action',
    html`<code class="verb">${entry.action}</code>${
      isBrief(input) && html` <code>${input}</code>`
    } <span class="facts">${duration(entry.took)}</span>`,
    html`${!isBrief(input) && html`<pre class="input" tabindex="0">${input}</pre>`}${fold(
      plural(countLines(observation), 'line'),
      observation,
      countLines(observation) <= MAX_OPEN_LINES,
    )}`,
  )
}

const tasks = ({ tasks: all }: EntryOf<'playbook'>): Html | false =>
  all.length > 0 &&
  html`<table class="tasks"><caption class="unseen">Tasks of the playbook</caption><thead><tr><th scope="col">Task</th><th scope="col">Outcome</th></tr></thead><tbody>${all.map(
    ({ task, outcome, message }) =>
      html`<tr><td>${task}${message !== undefined && html`<p class="message">${message}</p>`}</td><td><span class="chip ${outcome}">${outcome}</span></td></tr>`,
  )}</tbody></table>`

const playbook = (entry: EntryOf<'playbook'>): Html => {
  const { findings, isRefused, hasRun, rolledBack } = entry
  const verb = hasRun ? 'Ran' : 'Requested'
  const name = html`${verb} a <b>playbook</b> <span class="facts">${duration(entry.took)}</span>${
    !hasRun && html` <span class="chip failed">${isRefused ? 'refused' : 'not run'}</span>`
  }${rolledBack !== undefined && html` <span class="chip changed">rolled back</span>`}`
  return item(
    entry.at,
    'playbook',
    name,
    html`<pre class="yaml" tabindex="0">${highlightYaml(entry.playbook)}</pre>${
      findings.length > 0 &&
      html`<ul class="findings">${findings.map((finding) => html`<li>${finding}</li>`)}</ul>`
    }${tasks(entry)}${
      rolledBack !== undefined &&
      rolledBack.length > 0 &&
      html`<p class="text">Rolled back: ${rolledBack.join(', ')}</p>`
    }${fold('Output', entry.output, entry.tasks.length === 0 && countLines(entry.output) <= MAX_OPEN_LINES)}`,
  )
}

const entryHtml = (entry: StoryEntry): Html => {
  switch (entry.kind) {
    case 'thought':
      return thought(entry)
    case 'model-call':
      return modelCall(entry)
    case 'action':
      return action(entry)
    case 'playbook':
      return playbook(entry)
    case 'answers':
      return item(entry.at, 'answers', 'Answered', html`<pre class="input" tabindex="0">${entry.text}</pre>`)
    case 'ended':
      return item(
        entry.at,
        'ended',
        html`The solver ended: <b>${entry.outcome}</b>`,
        html`${entry.reason !== undefined && html`<p class="text">${entry.reason}</p>`}`,
      )
  }
}

const reportOf = ({ report, solver, impact }: EpisodeStory): Html | false =>
  report !== undefined &&
  item(
    impact?.at ?? solver?.from ?? 0,
    'report',
    'Report to the solver',
    html`<pre class="report" tabindex="0">${report.trim()}</pre>`,
  )

export const entryList = (story: EpisodeStory): Html =>
  html`<ol class="entries">${reportOf(story)}${story.entries.map(entryHtml)}</ol>`
