// What a script adds: the price while one types, the plan without leaving the page, columns at a click.
// Every page works without it. No answer is ever asked for here: paying is a form that a person sends.
"use strict";

(() => {
  const form = document.getElementById("console");

  // Ask for a part of the page with what the form holds, and put it in its place.
  const part = async (place, address, signal) => {
    const fields = new URLSearchParams(new FormData(form));
    const headers = { "X-Part": "1", "X-CSRF-Token": fields.get("form") };
    const answer = await fetch(address, { method: "POST", body: fields, headers, signal });
    place.innerHTML = await answer.text();
    place.removeAttribute("aria-busy");
  };

  if (form) {
    const price = document.getElementById("price");
    const plan = document.getElementById("plan");
    const question = form.elements.namedItem("sql");
    let waiting = 0;
    let asked = null;

    const reprice = () => {
      // the price on the button must be that of the question beside it
      for (const button of price.querySelectorAll("button")) button.disabled = true;
      price.setAttribute("aria-busy", "true");
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        if (asked) asked.abort();
        asked = new AbortController();
        part(price, form.dataset.price, asked.signal).catch((failed) => {
          if (failed.name !== "AbortError") price.textContent = "The server cannot be reached. Your question is still here.";
        });
      }, 300);
    };
    form.addEventListener("input", reprice);
    if (question.value.trim() && !price.querySelector("table, .refused")) reprice();

    document.getElementById("show-plan").addEventListener("click", (event) => {
      if (!form.reportValidity()) return;
      event.preventDefault();
      part(plan, form.dataset.plan).then(() => plan.scrollIntoView({ block: "nearest" }));
    });

    for (const button of document.querySelectorAll(".insert")) {
      button.addEventListener("click", () => {
        question.setRangeText(button.dataset.insert, question.selectionStart, question.selectionEnd, "end");
        question.focus();
        reprice();
      });
    }
  }

  // Where people begin to write; not the browser's autofocus, which complains where somebody was quicker.
  const begin = document.querySelector("[data-begin]");
  if (begin && document.activeElement === document.body) begin.focus();

  // A paid answer leaves on a schedule: say that it is on its way, and let nobody press twice.
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button || !/\/(ask|pay|advise)$/.test(button.getAttribute("formaction") || event.target.action)) return;
    setTimeout(() => {
      button.disabled = true;
      button.textContent = "On its way: answers leave every few seconds …";
    });
  });

  // Back from an answer, a browser shows the page as it was left: with a button that was pressed.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) window.location.reload();
  });
})();
