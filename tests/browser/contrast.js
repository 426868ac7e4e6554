// SPDX-License-Identifier: Apache-2.0
// Texts whose contrast with their ground is below 4.5 to 1 (WCAG 2.1, 1.4.3), with what they are.
const channel = (value) => ((value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const light = (colour) => {
  const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map(Number).map(channel);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (element) => {
  for (; element; element = element.parentElement) {
    const colour = getComputedStyle(element).backgroundColor;
    if (!/^rgba.*, 0\)$/.test(colour)) return colour;
  }
  return "rgb(255, 255, 255)";
};
const ratio = (element) => {
  const [low, high] = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
return [...document.querySelectorAll("header *, main *, footer *")]
  .filter((element) => !element.closest("svg, .off, .hidden, script") && element.offsetParent)
  .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
  .map((element) => [ratio(element), element.outerHTML.slice(0, 80)])
  .filter(([found]) => found < 4.5);
