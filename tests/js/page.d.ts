// The page's own markup is the contract, so elements found in it are taken at their word.
interface EventTarget {
  id: any;
  closest: any;
  matches: any;
  value: any;
  name: any;
  type: any;
  checked: any;
}
interface Node {
  data: string;
  length: number;
}
interface Element {
  focus(options?: FocusOptions): void;
  blur(): void;
  hidden: boolean;
  dataset: any;
}
