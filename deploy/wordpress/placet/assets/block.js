// The block as the editor shows it. PHP makes the HTML for visitors.
(function (blocks, blockEditor, components, element, i18n) {
  var create = element.createElement;
  var __ = i18n.__;

  var kinds = [
    { name: 'reopen', icon: 'admin-links', title: __('Link to cookie settings', 'placet') },
    { name: 'frame', icon: 'video-alt3', title: __('Content that waits for consent', 'placet') },
    { name: 'box', icon: 'yes-alt', title: __('Consent box', 'placet') },
    { name: 'contract', icon: 'media-document', title: __('Contract box', 'placet') },
  ];
  var fields = {
    reopen: { text: __('Text of the link', 'placet') },
    frame: {
      src: __('Address of the frame', 'placet'),
      title: __('Description of its content', 'placet'),
      width: __('Width in pixels', 'placet'),
      height: __('Height in pixels', 'placet'),
    },
    box: { id: __('Id of the box', 'placet'), name: __('Name of the form’s field', 'placet') },
  };
  fields.contract = fields.box;

  blocks.registerBlockType('placet/consent', {
    apiVersion: 3,
    title: __('Consent', 'placet'),
    category: 'widgets',
    icon: 'privacy',
    variations: kinds.map(function (kind) {
      return {
        name: kind.name,
        title: kind.title,
        icon: kind.icon,
        attributes: { show: kind.name },
        isActive: ['show'],
        scope: ['inserter', 'transform'],
      };
    }),
    edit: function (properties) {
      var values = properties.attributes;
      var kind = kinds.find(function (one) { return one.name === values.show; }) || kinds[0];
      var set = function (name, value) {
        var change = {};
        change[name] = value;
        properties.setAttributes(change);
      };
      var inputs = Object.keys(fields[kind.name]).map(function (name) {
        return create(components.TextControl, {
          key: name,
          label: fields[kind.name][name],
          value: values[name],
          onChange: function (value) { set(name, value); },
        });
      });
      if (fields[kind.name] === fields.box) {
        inputs.push(create(components.CheckboxControl, {
          key: 'required',
          label: __('The form needs it', 'placet'),
          checked: values.required !== '',
          onChange: function (is) { set('required', is ? '1' : ''); },
        }));
      }
      return create(
        'div',
        blockEditor.useBlockProps(),
        create(components.Placeholder, { icon: kind.icon, label: kind.title }, create('div', null, inputs)),
      );
    },
    save: function () { return null; },
  });
})(wp.blocks, wp.blockEditor, wp.components, wp.element, wp.i18n);
