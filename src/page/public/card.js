/** One section of the page: its parts by name, its form, and the look that is repeated until there is nothing to see. */
export class Card {
  #look;

  constructor(id, { start }) {
    this.root = document.getElementById(id);
    this.form = this.root.querySelector('form');
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.run(() => start(this));
    });
  }

  part(name) {
    return this.root.querySelector(`[data-part="${name}"]`);
  }

  text(name, text) {
    const part = this.part(name);
    // Written only when it is new, so that a screen reader does not say it every second.
    if (part.textContent !== text) part.textContent = text;
  }

  say(text, tone = 'quiet') {
    this.text('state', text);
    this.part('state').dataset.tone = tone;
  }

  show(name, isShown) {
    this.part(name).hidden = !isShown;
  }

  /** Does something a click asked for; what goes wrong is shown where the result would be. */
  async run(work) {
    const button = this.form.querySelector('[type="submit"]');
    button.disabled = true;
    this.root.querySelector('.result').hidden = false;
    try {
      await work();
    } catch (error) {
      this.say(error.message, 'bad');
    } finally {
      button.disabled = false;
    }
  }

  /** Looks now and every second until `look` answers true. A click on the button begins anew. */
  watch(look) {
    this.#look = look;
    return this.look();
  }

  async look() {
    const look = this.#look;
    if (!look) return;
    try {
      if ((await look()) && this.#look === look) this.#look = undefined;
    } catch (error) {
      this.say(`${error.message} Looking again.`, 'bad');
    }
  }
}
