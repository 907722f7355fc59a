/** The parts of the DOM that the page's script uses. The compiler's own DOM types would apply to every room. */

export interface PageElement {
  readonly dataset: Record<string, string | undefined>
  readonly children: Iterable<PageElement> & { readonly length: number }
  readonly clientWidth: number
  readonly cells: ArrayLike<PageElement>
  readonly parentElement: PageElement | null
  readonly nextElementSibling: PageElement | null
  innerHTML: string
  textContent: string | null
  className: string
  hidden: boolean
  colSpan: number
  name: string
  value: string
  checked: boolean
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
  closest(selector: string): PageElement | null
  matches(selector: string): boolean
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  append(...children: PageElement[]): void
  after(element: PageElement): void
  remove(): void
  focus(options?: { preventScroll?: boolean }): void
  scrollIntoView(options?: { block?: 'start' | 'nearest' }): void
  addEventListener(type: string, listener: (event: PageEvent) => void): void
}

export interface PageEvent {
  readonly target: PageElement
  readonly key?: string
  preventDefault(): void
}

interface PageDocument extends PageElement {
  getElementById(id: string): PageElement | null
  createElement(name: string): PageElement
}

interface PageWindow {
  readonly document: PageDocument
  readonly location: { readonly hash: string }
  addEventListener(type: string, listener: () => void): void
}

export const page = globalThis as unknown as PageWindow
